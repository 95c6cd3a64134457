"""A document as its dialog shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import ValidationError

from sessions_app.documents import SchemaLinking
from sessions_app.pages.diagram import Diagram, diagram_of_linking
from sessions_app.pages.labels import stage_label
from sessions_app.types import StoredArtifact


@dataclass(frozen=True, slots=True)
class DocumentView:
    """`media_type` chooses how the text is drawn; `diagram` only for a schema."""

    name: str
    stage: str
    sha256: str
    media_type: str
    text: str
    diagram: Diagram | None


def document_view(stored: StoredArtifact) -> DocumentView:
    """The document; a text that is not what its name says is shown as plain text."""
    return DocumentView(
        name=stored.name,
        stage=stage_label(stored.stage),
        sha256=stored.sha256,
        media_type=media_type_of(stored.name),
        text=_text(stored),
        diagram=linking_diagram(stored.text) if stored.name == "schema_linking.json" else None,
    )


def media_type_of(name: str) -> str:
    """By the name's ending."""
    endings = {"sql": "application/sql", "md": "text/markdown", "json": "application/json"}
    return endings.get(name.rpartition(".")[2], "text/plain")


def linking_diagram(text: str) -> Diagram | None:
    """The diagram of a schema_linking.json, or None when the text is not one."""
    try:
        return diagram_of_linking(SchemaLinking.model_validate_json(text))
    except ValidationError:
        return None


def _text(stored: StoredArtifact) -> str:
    if media_type_of(stored.name) != "application/json":
        return stored.text
    try:
        return json.dumps(json.loads(stored.text), indent=2, ensure_ascii=False)
    except ValueError:
        return stored.text
