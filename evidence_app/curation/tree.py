"""A commit's files, and what is to become of some of them."""

from __future__ import annotations

from collections.abc import Mapping

Tree = Mapping[str, bytes]
# None deletes the file.
Changes = dict[str, bytes | None]
