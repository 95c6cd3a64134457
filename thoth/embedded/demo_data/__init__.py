"""The example warehouse: a synthetic Italian cardiology department, made from a seed."""

from __future__ import annotations

from thoth.embedded.demo_data.frames import TableRows
from thoth.embedded.demo_data.generate import generate
from thoth.embedded.demo_data.load import SCHEMA, SCHEMA_SQL, load, schema_sections

__all__ = ["SCHEMA", "SCHEMA_SQL", "TableRows", "generate", "load", "schema_sections"]
