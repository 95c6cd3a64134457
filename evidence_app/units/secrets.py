"""Does a text hold what nobody may commit: a password, a key, an address with a login?"""

from __future__ import annotations

import re

_CREDENTIAL = re.compile(
    r"""
    [a-z][a-z0-9+.-]{1,30}://[^\s/@:]{0,200}:[^\s/@]{1,200}@      # scheme://user:password@host
    | https?://[^\s/@]{1,200}@                                    # https://token@host
    | [?&;](?:access_token|api_?key|apikey|auth|passw(?:or)?d|pwd|secret|sig|signature|token)=[^\s&]
    | -----BEGIN[ ](?:[A-Z]+[ ])?PRIVATE[ ]KEY-----
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \bgh[pousr]_[0-9A-Za-z]{20,}
    | \b(?:sk|pk)-[0-9A-Za-z_-]{20,}
    | \bbearer[ ]+[0-9A-Za-z._~+/-]{16,}
    | (?<![0-9A-Za-z])(?:password|passwd|pwd|api[_-]?key|secret[_-]?key|client[_-]?secret|access[_-]?token)
      \s*[:=]\s*["']?[^\s"',;]{4,}
    """,
    re.VERBOSE | re.IGNORECASE,
)


# Every alternative has one of these in it; a plain search for them is far cheaper than the whole.
_HINT = re.compile(
    r"://|-----BEGIN|AKIA|ASIA|gh[pousr]_|[sp]k-|bearer|passw|pwd|key|secret|token", re.IGNORECASE
)


def has_credential(text: str) -> bool:
    """True where a text seems to give access to something. The text itself is never repeated."""
    return bool(_HINT.search(text)) and bool(_CREDENTIAL.search(text))
