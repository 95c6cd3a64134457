"""Units, sources and clones for tests of Evidence."""

from __future__ import annotations

import copy
import subprocess
from pathlib import Path
from typing import Any

from evidence_app.authoring.port import RestructureCandidate
from evidence_app.units.document import unit_dump
from evidence_app.units.model import CuratedEvidence

SHA = "sha256:" + "a" * 64
GLOSSARY: dict[str, Any] = {
    "id": "evidence:ablazione",
    "title": "Ablazione",
    "kind": "glossary",
    "purposes": ["disambiguation", "rewriting"],
    "scope": {"concepts": ["ablazione"], "tables": ["dw.fact"], "columns": ["dw.fact.col"]},
    "language": "it",
    "provenance": {
        "source_file": "source/note.md",
        "source_sha256": SHA,
        "supporting_excerpts": ["Ablazione: procedura."],
    },
    "review_items": [],
    "payload": {"term": "Ablazione", "definition": "Procedura.", "synonyms": []},
}


def document(kind: str = "glossary", payload: dict[str, Any] | None = None) -> dict[str, Any]:
    """A document of a kind, to be changed."""
    value = copy.deepcopy(GLOSSARY)
    return {**value, "kind": kind, "payload": copy.deepcopy(payload or value["payload"])}


def changed(value: dict[str, Any], change: dict[str, Any], remove: list[str]) -> dict[str, Any]:
    """The document with values at dotted places set or removed."""
    for place, content in [*change.items(), *((name, None) for name in remove)]:
        *parents, last = place.split(".")
        holder = value
        for parent in parents:
            holder = holder[parent]
        if place in remove:
            del holder[last]
        else:
            holder[last] = content
    return value


def unit_text(**changes: Any) -> bytes:
    """A file of a glossary unit."""
    return unit_dump(CuratedEvidence.of({**document(), **changes})).encode()


def candidate(title: str, excerpt: str, **changes: Any) -> RestructureCandidate:
    """A glossary candidate that quotes `excerpt`."""
    value = {
        "title": title,
        "kind": "glossary",
        "purposes": ["disambiguation"],
        "supporting_excerpts": [excerpt],
        "payload": {"term": title, "definition": excerpt, "synonyms": []},
        **changes,
    }
    return RestructureCandidate.model_validate(value, strict=False)


def after(files: dict[str, bytes], changes: Any) -> dict[str, bytes]:
    """The files with the changes of a batch."""
    merged = {**files, **changes}
    return {path: text for path, text in merged.items() if text is not None}


def shell_git(root: Path, *words: str) -> str:
    """Git as a curator runs it."""
    who = ["-c", "user.name=Curatrice", "-c", "user.email=curatrice@example.org"]
    done = subprocess.run(
        ["git", *who, *words], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


def clone_make(root: Path, sources: dict[str, str]) -> Path:
    """A committed working tree with these sources."""
    for path, text in sources.items():
        file = root / "evidence" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    shell_git(root, "init", "--quiet", ".")
    commit_all(root)
    return root


def commit_all(root: Path) -> None:
    """Everything is committed."""
    shell_git(root, "add", "--all", ".")
    shell_git(root, "commit", "--quiet", "--allow-empty", "-m", "stato")


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of evidence/, hidden ones too."""
    folder = root / "evidence"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
