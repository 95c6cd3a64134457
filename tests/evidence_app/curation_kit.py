"""A small workspace `cardio` with Evidence in a repository, and curators who open its pages."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from evidence_app.manifest import Manifest, SourceEntry, manifest_dump
from evidence_app.models import EvidenceUnit
from evidence_app.units.document import unit_dump
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.text import sha256_of_source
from tests.workspaces.builders import make_document
from thoth.accounts.services import user_ensure
from thoth.workspaces.committing import Author, commit_files, repository_create
from thoth.workspaces.facade import workspace_folder, workspace_write
from thoth.workspaces.repository import Repository, repository_head, repository_open

WORKSPACE = "cardio"
SOURCE = "source/note/reparti.md"
TEXT = (
    "# Reparti\n\n- **UTIC**: unità di terapia intensiva cardiologica.\n"
    "- Il regime vale O per ordinario e D per day hospital.\n"
    "- Giorni di degenza: dimissione meno ricovero.\n"
)
UTIC = "curated/glossary/utic.md"
REGIME = "curated/enum/regime.md"
DEGENZA = "curated/formula/giorni-di-degenza.md"
QUESTION = {"code": "ambiguous_term", "message": "UTIC o terapia intensiva?", "field": "payload"}


def make_unit(path: str, payload: dict[str, Any], excerpt: str, **more: Any) -> bytes:
    """A unit's file; kind and id follow from its path."""
    _, kind, name = path.split("/")
    slug = name.removesuffix(".md")
    document = {
        "id": f"evidence:{slug}",
        "title": slug.capitalize(),
        "kind": kind,
        "purposes": ["disambiguation", "sql_generation"],
        "scope": {"concepts": [slug], "tables": [], "columns": []},
        "language": "it",
        "provenance": {
            "source_file": SOURCE,
            "source_sha256": sha256_of_source(TEXT),
            "supporting_excerpts": [excerpt],
        },
        "review_items": [],
        "payload": payload,
        **more,
    }
    return unit_dump(CuratedEvidence.of(document)).encode()


def make_files() -> dict[str, bytes]:
    """One source and its three units, one of which has an open question."""
    units = {
        UTIC: make_unit(
            UTIC,
            {"term": "UTIC", "definition": "Unità di terapia intensiva.", "synonyms": ["CCU"]},
            "- **UTIC**: unità di terapia intensiva cardiologica.",
            review_items=[QUESTION],
        ),
        REGIME: make_unit(
            REGIME,
            {
                "column": "dw.ricovero.regime",
                "entries": [
                    {"value": "O", "meaning": "ordinario"},
                    {"value": "D", "meaning": "day hospital"},
                ],
            },
            "Il regime vale O per ordinario",
        ),
        DEGENZA: make_unit(
            DEGENZA,
            {
                "concept": "giorni di degenza",
                "columns": ["dw.ricovero.data_dimissione"],
                "sql": "dw.ricovero.data_dimissione - dw.ricovero.data_ricovero",
            },
            "dimissione meno ricovero",
        ),
    }
    ids = tuple(f"evidence:{path.rpartition('/')[2].removesuffix('.md')}" for path in units)
    entry = SourceEntry(sha256=sha256_of_source(TEXT), units=ids)
    manifest = manifest_dump(Manifest(sources={SOURCE: entry}))
    return {SOURCE: TEXT.encode(), "manifest.yaml": manifest.encode(), **units}


def make_workspace(files: dict[str, bytes] | None = None) -> Repository:
    """The workspace under settings.THOTH_HOME with these files as its Evidence."""
    evidence = {"layout_version": 2, "repository": "repository.git"}
    workspace_write(document=make_document(name=WORKSPACE, language="it", evidence=evidence))
    target = workspace_folder(WORKSPACE) / "repository.git"
    author = Author("Thoth")
    return repository_create(target, files or make_files(), author=author, message="Start")


def push(path: str, content: bytes | None, author: str = "Bruno") -> str:
    """Somebody commits from a clone. Returns the commit."""
    repository = repository_open(WORKSPACE)
    base = repository_head(repository)
    changes = {path: content}
    return commit_files(repository, base, changes, author=Author(author), message=f"{author} edits")


def make_client(name: str, *roles: Any) -> Client:
    """A signed-in person with these roles."""
    user_ensure(username=name, roles=roles)
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username=name))
    return client


def unit(path: str) -> EvidenceUnit:
    """The row of a file."""
    return EvidenceUnit.objects.get(workspace=WORKSPACE, path=path)


def form_of(html: str) -> dict[str, list[str]]:
    """What a browser would send of the unit's form, without the buttons."""
    from html import unescape

    body = re.search(r'<form method="post" id="unit-form".*?</form>', html, re.DOTALL)
    assert body is not None, html[:2000]
    sent: dict[str, list[str]] = {}
    for tag in re.findall(r"<input [^>]*>", body.group()):
        named = re.search(r'name="([^"]+)"', tag)
        box = 'type="checkbox"' in tag
        if named and (not box or " checked" in tag):
            value = re.search(r'value="([^"]*)"', tag)
            sent.setdefault(named.group(1), []).append(unescape(value.group(1) if value else ""))
    areas = re.findall(r'<textarea name="([^"]+)"[^>]*>(.*?)</textarea>', body.group(), re.DOTALL)
    for name, value in areas:
        # The browser drops the line feed behind the tag and sends CRLF.
        sent[name] = [unescape(value).removeprefix("\n").replace("\n", "\r\n")]
    return sent
