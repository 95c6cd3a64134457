from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.warehouse.library import Library, library


@pytest.fixture(scope="package")
def lib(warehouse_server: str) -> Iterator[Library]:
    with library(warehouse_server) as made:
        yield made
