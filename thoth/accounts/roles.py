"""The four roles, which are Django groups, and what each may do in the admin."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["reviewer", "curator", "publisher", "operator"]
ROLES: tuple[Role, ...] = get_args(Role)
LOCAL_USER = "local"
