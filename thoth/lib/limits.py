"""Every size limit of the product, in one place. Units are in the names."""

from __future__ import annotations

QUESTION_MAX_CHARS = 2_000
FREE_TEXT_MAX_CHARS = 4_000
# Any request's body: the longest answer as a percent-encoded form, or one source file.
REQUEST_MAX_BYTES = 2 * 1024 * 1024
RESPONSE_MAX_BYTES = 64 * 1024
RESPONSE_WITH_SQL_MAX_BYTES = 256 * 1024
OPTIONS_MAX = 200
SQL_MAX_BYTES = 100_000
SQL_MAX_DEPTH = 200
TOOL_RESULT_MAX_BYTES = 8 * 1024
TOOL_TABLES_MAX = 8
TASK_MAX_TOKENS = 20_000
BRIEF_MAX_TOKENS = 5_000
SOURCE_FILE_MAX_BYTES = 1024 * 1024
CURATED_FILE_MAX_BYTES = 64 * 1024
EVALUATION_FILE_MAX_BYTES = 256 * 1024
