"""What the database refuses to everybody, the owner included."""

from __future__ import annotations

import uuid

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from psycopg import sql

from sessions_app import artifacts
from sessions_app.dialogue import Written, text_record
from sessions_app.grants import APPEND_ONLY, can_change, grant_application_role
from sessions_app.models import Content, FreeText, LedgerRow, Session, Widget
from tests.sessions_app.builders import NOW, answer, clarified, make_session, make_widget


def refused(statement: str) -> str:
    with connection.cursor() as cursor:
        # A TRUNCATE is refused for another reason while foreign keys wait to be checked.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(IntegrityError) as caught, transaction.atomic():
            cursor.execute(statement)
    return str(caught.value)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sessions_app_ledgerrow SET detail = 'changed'",
        "UPDATE sessions_app_ledgerrow SET detail = 'changed' WHERE false",
        "DELETE FROM sessions_app_ledgerrow",
        "TRUNCATE sessions_app_ledgerrow",
        "TRUNCATE sessions_app_session CASCADE",
        "DELETE FROM sessions_app_content",
        "UPDATE sessions_app_content SET text = 'x'",
        "DELETE FROM sessions_app_artifactversion",
        "DELETE FROM sessions_app_widget",
        "DELETE FROM sessions_app_freetext",
        "UPDATE sessions_app_widget SET answer = '{}'",
        "UPDATE sessions_app_widget SET answered_by = 'eve'",
        "UPDATE sessions_app_widget SET request = '{}'",
        "UPDATE sessions_app_widget SET kind = 'artifact'",
        "UPDATE sessions_app_widget SET stage = 'closure'",
        "UPDATE sessions_app_widget SET shown_version = shown_version + 1",
        "UPDATE sessions_app_widget SET created_at = created_at + interval '1 second'",
        "UPDATE sessions_app_freetext SET text = 'x'",
        "UPDATE sessions_app_freetext SET about = 'x'",
        "UPDATE sessions_app_freetext SET phase = 'F8'",
        "UPDATE sessions_app_freetext SET author = 'eve'",
    ],
)
def test_the_database_refuses(statement):
    session = make_session()
    widget = answer(session, clarified("ablazione"))
    text_record(session, Written("no", FreeText.Kind.OTHER, "ada"), now=NOW, widget=widget)
    artifacts.text_store("SELECT 1")
    assert "append-only" in refused(statement)
    assert LedgerRow.objects.get().detail == ""
    assert Content.objects.get().text == "SELECT 1"


@pytest.mark.django_db
def test_what_is_not_append_only_can_still_change():
    session = make_session()
    widget = make_widget(session)
    text = text_record(session, Written("no", FreeText.Kind.OTHER, "ada"), now=NOW, widget=widget)
    Widget.objects.filter(pk=widget.pk).update(
        status="answered", answer={"a": 1}, answer_hash="h", answered_by="ada", answered_at=NOW
    )
    Widget.objects.filter(pk=widget.pk).update(status="undone")
    FreeText.objects.filter(pk=text.pk).update(status="addressed", reading="the year matters")
    assert FreeText.objects.get().reading == "the year matters"


@pytest.mark.django_db
def test_a_content_cannot_be_stored_under_another_hash():
    with pytest.raises(IntegrityError, match="content_under_its_hash"), transaction.atomic():
        Content.objects.create(sha256="a" * 64, text="SELECT 1", created_at=NOW)


@pytest.mark.django_db
def test_a_session_with_rows_cannot_be_deleted():
    session = make_session()
    answer(session, clarified("ablazione"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Session.objects.filter(pk=session.pk).delete()


@pytest.mark.django_db
def test_two_widgets_cannot_be_pending_at_once():
    session = make_session()
    make_widget(session)
    with pytest.raises(IntegrityError, match="widget_one_pending"), transaction.atomic():
        make_widget(session)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        {"status": "finalised"},  # but still at a stage
        {"status": "guessing"},
        {"ledger_count": 3},  # but the head of an empty ledger
        {"question": " \n "},
    ],
)
def test_a_session_cannot_contradict_itself(change):
    session = make_session()
    with pytest.raises(IntegrityError), transaction.atomic():
        Session.objects.filter(pk=session.pk).update(**change)


@pytest.fixture
def application_role(request):
    """A role of its own that serves requests; the owner granted it its rights."""
    role = f"app_{uuid.uuid4().hex[:8]}"
    name = sql.Identifier(role)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'p'").format(name))
    grant_application_role(connection, role)
    yield role
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP OWNED BY {}").format(name))
        cursor.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.mark.django_db(transaction=True)
def test_the_application_role_may_only_insert_and_read_the_ledger(application_role):
    session = make_session()
    answer(session, clarified("ablazione"))
    parameters = connection.get_connection_params()
    keys = ("dbname", "host", "port")
    with psycopg.connect(
        **{key: parameters[key] for key in keys},
        user=application_role,
        password="p",
        autocommit=True,
    ) as serving:
        assert serving.execute("SELECT count(*) FROM sessions_app_ledgerrow").fetchone() == (1,)
        serving.execute("UPDATE sessions_app_session SET title = 'by the role'")
        for statement in ("UPDATE {} SET detail=''", "DELETE FROM {}", "TRUNCATE {}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                serving.execute(statement.format("sessions_app_ledgerrow"))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            serving.execute("ALTER TABLE sessions_app_ledgerrow DISABLE TRIGGER ALL")
    assert [can_change(connection, application_role, table) for table in APPEND_ONLY] == [False] * 3
    assert Session.objects.get().title == "by the role"
