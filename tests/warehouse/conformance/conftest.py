from __future__ import annotations

import pytest

from tests.analyst.compile.cases import read_tables
from tests.analyst.compile.conftest import clinic
from thoth.contracts.schema import Catalog

__all__ = ["clinic"]


@pytest.fixture(scope="session")
def catalog(clinic: str) -> Catalog:
    return Catalog(workspace="clinic", version="1", tables=read_tables(clinic, "clinic"))
