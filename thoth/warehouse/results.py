"""Results on disk: the approved SQL runs once, pages and downloads read the file.

`THOTH_HOME/results/<id>.rows` holds gzip members of 1 000 rows each, a row being a JSON array of
text or null; `<id>.json` says where each member starts. The description is renamed into place last,
so a result either exists whole or not at all.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import hashlib
import json
import logging
import re
import uuid
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from thoth.contracts.schema import Catalog, TypeFamily
from thoth.lib.clock import now
from thoth.lib.errors import Invalid, NotFound, Upstream
from thoth.lib.text import sha256_of
from thoth.warehouse.execute.rows import Row
from thoth.warehouse.execute.run import Request, Stream, query_stream
from thoth.warehouse.execute.session import RunHandle
from thoth.warehouse.execute.target import Target

logger = logging.getLogger(__name__)

RETENTION = dt.timedelta(hours=24)
BLOCK_ROWS = 1_000
PAGE_MAX_ROWS = 10_000
_ID = re.compile(r"[0-9a-f]{32}\Z")


class StoredColumn(BaseModel):
    """`header` is unique within the result; `name` is what the database said."""

    model_config = ConfigDict(frozen=True)

    name: str
    header: str
    family: TypeFamily
    masked: bool


class StoredResult(BaseModel):
    """What is known about a result. `sha256` is of the rows, `sql_sha256` of the text that ran.

    `truncated`: the query has more rows than `row_count`. `renamed`: headers differ from the names.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    sql_sha256: str
    columns: tuple[StoredColumn, ...]
    row_count: int
    truncated: bool
    sha256: str
    created_at: dt.datetime
    blocks: tuple[int, ...]

    @property
    def expires_at(self) -> dt.datetime:
        return self.created_at + RETENTION

    @property
    def renamed(self) -> bool:
        return any(column.name != column.header for column in self.columns)

    @property
    def rows_file(self) -> Path:
        return _folder() / f"{self.id}.rows"


class ResultPage(BaseModel):
    """`rows` are lists of text or None, exactly as PostgreSQL writes the values."""

    model_config = ConfigDict(frozen=True)

    offset: int
    rows: tuple[Row, ...]
    row_count: int


def result_create(
    target: Target,
    catalog: Catalog,
    request: Request,
    *,
    handle: RunHandle | None = None,
    moment: dt.datetime | None = None,
) -> StoredResult:
    """Run the query once and keep its rows for 24 hours.

    Raises: as `query_stream`, and Upstream `result_not_stored` when the file cannot be written;
    nothing is kept then.
    """
    try:
        return _create(target, catalog, request, handle, moment or now())
    except OSError as error:
        logger.exception("result_not_stored folder=%s", _folder())
        message = (
            f"The result cannot be stored ({error.strerror}). Ask whoever runs this installation."
        )
        raise Upstream("result_not_stored", message) from error


def _create(
    target: Target,
    catalog: Catalog,
    request: Request,
    handle: RunHandle | None,
    moment: dt.datetime,
) -> StoredResult:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    result_id = uuid.uuid4().hex
    draft = folder / f"{result_id}.draft"
    try:
        with query_stream(target, catalog, request, handle=handle) as stream:
            with draft.open("xb") as file:
                blocks, row_count, digest = _write_blocks(file, stream.rows)
            result = _describe(result_id, stream, request, blocks, row_count, digest, moment)
        draft.replace(result.rows_file)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    try:
        _write_description(result)
    except OSError:
        result_delete(result_id)
        raise
    return result


def _write_blocks(file: IO[bytes], rows: Iterator[Row]) -> tuple[list[int], int, str]:
    blocks, row_count, digest = [], 0, hashlib.sha256()
    while block := list(islice(rows, BLOCK_ROWS)):
        blocks.append(file.tell())
        row_count += len(block)
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in block).encode()
        digest.update(text)
        file.write(gzip.compress(text, compresslevel=5, mtime=0))
    return blocks, row_count, digest.hexdigest()


def _describe(  # noqa: PLR0913 - the fields of one record
    result_id: str,
    stream: Stream,
    request: Request,
    blocks: list[int],
    row_count: int,
    digest: str,
    moment: dt.datetime,
) -> StoredResult:
    return StoredResult(
        id=result_id,
        sql_sha256=sha256_of(request.sql),
        columns=tuple(
            StoredColumn(name=c.name, header=c.header, family=c.family, masked=c.masked)
            for c in stream.columns
        ),
        row_count=row_count,
        truncated=stream.truncated,
        sha256=digest,
        created_at=moment,
        blocks=tuple(blocks),
    )


def _write_description(result: StoredResult) -> None:
    draft = _folder() / f"{result.id}.json.draft"
    draft.write_text(result.model_dump_json(), encoding="utf-8")
    draft.replace(_folder() / f"{result.id}.json")


def result_get(result_id: str, *, moment: dt.datetime | None = None) -> StoredResult:
    """The result's description. Raises: NotFound `result_gone` when it expired or never was."""
    if not _ID.match(result_id):
        raise _gone()
    try:
        text = (_folder() / f"{result_id}.json").read_text(encoding="utf-8")
        result = StoredResult.model_validate_json(text)
    except (OSError, ValueError):
        raise _gone() from None
    if result.expires_at <= (moment or now()) or not result.rows_file.exists():
        raise _gone()
    return result


def _gone() -> NotFound:
    return NotFound("result_gone", "This result is no longer kept. Run the query again.")


def result_page(result: StoredResult, *, offset: int, size: int) -> ResultPage:
    """Rows [offset, offset + size). Only the blocks that hold them are read.

    Raises: Invalid `page_invalid`; NotFound `result_gone`.
    """
    if offset < 0 or not 1 <= size <= PAGE_MAX_ROWS:
        message = f"A page starts at 0 or later and has 1 to {PAGE_MAX_ROWS} rows."
        raise Invalid("page_invalid", message, offset=offset, size=size)
    first = offset // BLOCK_ROWS
    rows = islice(_rows_from(result, first), offset - first * BLOCK_ROWS, None)
    return ResultPage(offset=offset, rows=tuple(islice(rows, size)), row_count=result.row_count)


def result_rows(result: StoredResult) -> Iterator[Row]:
    """All rows, block by block. Raises: NotFound `result_gone`."""
    return _rows_from(result, 0)


def _rows_from(result: StoredResult, first_block: int) -> Iterator[Row]:
    if first_block >= len(result.blocks):
        return
    try:
        with result.rows_file.open("rb") as file:
            file.seek(result.blocks[first_block])
            with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
                for line in lines:
                    yield tuple(json.loads(line))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        # Deleted meanwhile, or damaged: without its files it is run again.
        logger.warning("result_unreadable id=%s error=%s", result.id, type(error).__name__)
        result_delete(result.id)
        raise _gone() from None


def result_number(result: StoredResult) -> str | None:
    """The text of the one number that the result is, else None."""
    is_number = len(result.columns) == 1 and result.columns[0].family in ("integer", "decimal")
    if result.row_count != 1 or not is_number or result.columns[0].masked:
        return None
    return next(result_rows(result))[0]


def result_delete(result_id: str) -> None:
    """The result is gone, also when it was already."""
    if _ID.match(result_id):
        (_folder() / f"{result_id}.json").unlink(missing_ok=True)
        (_folder() / f"{result_id}.rows").unlink(missing_ok=True)


def results_sweep(*, moment: dt.datetime | None = None) -> int:
    """Delete what is older than 24 hours, drafts of lost runs too. Returns the number of files."""
    limit = ((moment or now()) - RETENTION).timestamp()
    removed = 0
    for file in _folder().glob("*"):
        with contextlib.suppress(FileNotFoundError):  # another sweep was faster
            if file.stat().st_mtime < limit:
                file.unlink()
                removed += 1
    return removed


def _folder() -> Path:
    return Path(settings.THOTH_HOME) / "results"
