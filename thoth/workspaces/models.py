"""workspace.yaml as frozen models. What is not listed here is an error in the file."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

NAME_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,62}\Z")
NOT_BUILT_DATABASES = ("mariadb", "mysql", "sqlserver", "informix", "oracle", "sqlite")
NOT_BUILT_TRANSPORTS = ("rest", "ssh")

Operation = Literal["cte_test", "explain", "preview", "aggregate", "export"]


def _no_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("contains a NUL character")
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_no_nul)]
Secret = Annotated[SecretStr, Field(min_length=1)]


class Section(BaseModel):
    """Base of every part of the file: frozen, strict, unknown keys refused, values unprinted."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )


class Database(Section):
    """The warehouse's address. `dsn` is a PostgreSQL URL or keyword string."""

    type: Literal["postgresql"]
    dsn: Secret
    schemas: Annotated[tuple[Text, ...], Field(min_length=1)]
    transport: Literal["direct"] = "direct"
    ssl_ca: Text | None = None

    @field_validator("type", mode="before")
    @classmethod
    def _type_is_built(cls, value: object) -> object:
        if isinstance(value, str) and value.lower() in NOT_BUILT_DATABASES:
            raise ValueError(f"{value} databases are not supported in this version; use postgresql")
        return value

    @field_validator("transport", mode="before")
    @classmethod
    def _transport_is_built(cls, value: object) -> object:
        if isinstance(value, str) and value.lower() in NOT_BUILT_TRANSPORTS:
            raise ValueError(f"transport {value} is not supported in this version; use direct")
        return value

    @field_validator("dsn")
    @classmethod
    def _dsn_parses(cls, value: SecretStr) -> SecretStr:
        try:
            parameters = conninfo_to_dict(value.get_secret_value())
        except ProgrammingError:
            raise ValueError("is not a PostgreSQL connection string") from None
        if not parameters.get("dbname"):
            raise ValueError("names no database (…/name or dbname=name)")
        return value

    @field_validator("schemas")
    @classmethod
    def _schemas_differ(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _all_different(value)


class Execution(Section):
    """What may run against the warehouse, and how far."""

    allow: tuple[Operation, ...] = ("cte_test", "explain", "preview", "aggregate", "export")
    functions: tuple[Text, ...] = ()
    role: Text | None = None
    statement_timeout_s: Annotated[int, Field(ge=1, le=3600)] = 30
    max_rows: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    max_bytes: Annotated[int, Field(ge=1024, le=1024**3)] = 16 * 1024 * 1024

    @field_validator("allow", "functions")
    @classmethod
    def _items_differ(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _all_different(value)


class Columns(Section):
    """Columns by full name `schema.table.column`: identifying ones are masked, hidden ones unread."""

    identifying: tuple[Text, ...] = ()
    hidden: tuple[Text, ...] = ()

    @field_validator("identifying", "hidden")
    @classmethod
    def _full_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if len([part for part in name.split(".") if part]) < len(("schema", "table", "column")):
                raise ValueError(f"{name} must be written schema.table.column")
        return _all_different(value)


class Vector(Section):
    """The vector database. With `api_key` alone Thoth reads; writing needs `write_api_key`."""

    url: Text
    api_key: Secret | None = None
    write_api_key: Secret | None = None
    collection: Text


class Prefixes(Section):
    """What the embedding model wants in front of a text."""

    query: str = ""
    passage: str = ""


class Embeddings(Section):
    """The embedding profile; a collection belongs to exactly one."""

    provider: Text
    model: Text
    dim: Annotated[int, Field(ge=1, le=8192)]
    prefixes: Prefixes = Prefixes()
    base_url: Text | None = None


class Evidence(Section):
    """Where curated knowledge lives and how it is published."""

    layout_version: Literal[2]
    repository: Text
    patterns: Annotated[tuple[Text, ...], Field(min_length=1)] = ("curated/**/*.md",)
    max_chunk_chars: Annotated[int, Field(ge=200, le=32_000)] = 4000
    retain: Annotated[int, Field(ge=1, le=50)] = 3
    evaluation: Literal["required", "optional"] = "required"

    @field_validator("patterns")
    @classmethod
    def _not_the_sources(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            if pattern.startswith(("source/", "/")) or ".." in pattern.split("/"):
                raise ValueError(f"{pattern} must stay inside the tree and outside source/")
        return _all_different(value)


class Model(Section):
    """Which model proposes. `analyst` is the embedded one and needs nothing else."""

    provider: Text = "analyst"
    name: Text | None = None
    base_url: Text | None = None
    external: bool = False
    allow_values: bool = False

    @property
    def is_local(self) -> bool:
        """Does everything that the model is told stay on this machine?"""
        if self.provider == "analyst" or (self.provider == "ollama" and self.base_url is None):
            return True
        return self.base_url is not None and is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def withholds_values(self) -> bool:
        """Must values, samples and previews be kept from the model?"""
        return not self.is_local and not self.allow_values

    @model_validator(mode="after")
    def _outside_is_declared(self) -> Model:
        if not self.is_local and not self.external:
            raise ValueError(
                f"provider {self.provider} is not on this machine: write external: true to allow it"
            )
        return self


class Workspace(Section):
    """One analytical domain, as its workspace.yaml describes it."""

    schema_version: Literal[1]
    name: Text
    language: Literal["it", "en"]
    database: Database
    execution: Execution = Execution()
    columns: Columns = Columns()
    vector: Vector | None = None
    embeddings: Embeddings | None = None
    evidence: Evidence | None = None
    model: Model = Model()

    @field_validator("name")
    @classmethod
    def _name_is_safe(cls, value: str) -> str:
        if not NAME_PATTERN.match(value):
            raise ValueError(
                "use a-z, 0-9, _ and -, beginning with a letter, at most 63 characters"
            )
        return value

    @model_validator(mode="after")
    def _columns_are_in_the_schemas(self) -> Workspace:
        for column in (*self.columns.identifying, *self.columns.hidden):
            if not any(column.startswith(f"{schema}.") for schema in self.database.schemas):
                raise ValueError(f"columns: {column} is in none of database.schemas")
        return self


def is_loopback(host: str) -> bool:
    """Does this host name or address mean the machine itself?"""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _all_different(value: tuple[str, ...]) -> tuple[str, ...]:
    for index, item in enumerate(value):
        if item in value[:index]:
            raise ValueError(f"{item} is listed twice")
    return value
