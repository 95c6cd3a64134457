"""Families of built-in functions that no query may call, although they are stable or immutable."""

from __future__ import annotations

import re

_FAMILIES = """
    pg_.*
    .*_to_xml.* xmlvalidate xpath_table cursor_to_.* ts_rewrite ts_stat
    ts_debug ts_parse ts_token_type ts_lexize get_current_ts_config
    current_setting set_config version getdatabaseencoding getpgusername icu_unicode_version
    current_(user|role|database|schemas?|query|catalog) session_user system_user user
    inet_(client|server)_(addr|port)
    has_.*_privilege row_security_active acl.* makeaclitem
    .*_description to_reg.* format_type reg(class|proc|type|oper|role|namespace|config).*
    txid_.* mxid_age lo_.* lo(read|write) dblink.* currtid.* nextval currval lastval setval
    binary_upgrade_.* fmgr_.* postgresql_fdw_validator satisfies_hash_partition
    .*(send|recv|typmodin|typmodout)
"""
# In order: the server's own business (files, locks, backends, catalogs); queries in a string; text
# search dictionaries; settings and identity; rights; catalog texts; transactions, large objects,
# other servers, sequences; maintenance; wire formats. Each pattern takes the whole name.
_DENIED = re.compile("|".join(_FAMILIES.split()))


def is_denied(name: str) -> bool:
    """Is this built-in kept from queries whatever its volatility says?"""
    return _DENIED.fullmatch(name) is not None
