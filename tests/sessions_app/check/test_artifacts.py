from __future__ import annotations

import pytest

from sessions_app import artifacts, events
from sessions_app.models import ArtifactVersion, Content
from tests.sessions_app.builders import make_session
from thoth.lib.errors import Invalid, NotFound

pytestmark = pytest.mark.django_db


def test_a_text_is_stored_once_under_its_hash():
    first, second = artifacts.text_store("SELECT 'è'"), artifacts.text_store("SELECT 'è'")
    assert first == second == artifacts.sha256_of("SELECT 'è'")
    assert Content.objects.count() == 1
    assert artifacts.text_of(first) == "SELECT 'è'"


def test_blanks_around_a_text_are_part_of_it():
    sha256 = artifacts.text_store("SELECT 1\n")
    assert artifacts.text_of(sha256) == "SELECT 1\n"


def test_a_text_that_was_never_stored():
    with pytest.raises(NotFound) as caught:
        artifacts.text_of("0" * 64)
    assert caught.value.code == "text_not_stored"


@pytest.mark.parametrize(("text", "code"), [("a\x00", "text_nul"), ("\udfff", "text_surrogate")])
def test_unstorable_texts_are_refused(text, code):
    with pytest.raises(Invalid) as caught:
        artifacts.text_store(text)
    assert caught.value.code == code


def test_a_document_is_replaced_and_its_versions_stay():
    session = make_session()
    artifacts.put(session, "question.md", "one", stage="rewriting", widget="u1")
    artifacts.put(session, "question.md", "two", stage="rewriting", widget="u2")
    stored = artifacts.get(session, "question.md")
    assert (stored.text, stored.phase, stored.widget) == ("two", "F3", "u2")
    assert [v.content.text for v in ArtifactVersion.objects.all()] == ["one", "two"]
    assert [a.name for a in artifacts.listing(session)] == ["question.md"]
    assert artifacts.get(session, "sql_final.sql") is None


def test_only_what_the_stage_declares_is_taken():
    with pytest.raises(Invalid) as caught:
        artifacts.put(make_session(), "notes.txt", "x", stage="rewriting")
    assert caught.value.code == "artifact_not_declared"


def test_watchers_are_told_of_documents_that_come_and_go():
    session = make_session()
    artifacts.put(session, "question.md", "one", stage="rewriting")
    assert artifacts.remove(session, ["question.md", "gone.md"]) == ["question.md"]
    assert artifacts.remove(session, ["question.md"]) == []
    told = [event.payload for event in events.read(session)]
    assert told[0]["name"] == "question.md"
    assert told[1] == {"removed": ["question.md"]}
    assert len(told) == 2
