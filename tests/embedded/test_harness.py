"""The suite's own services do what the other tests rely on."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from django.contrib.auth.models import Group
from django.db import connection


def test_a_warehouse_holds_what_its_ddl_creates(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse("CREATE TABLE t(a int); INSERT INTO t VALUES (1), (2); SELECT '50%'")
    with psycopg.connect(dsn) as warehouse:
        assert warehouse.execute("SELECT sum(a) FROM t").fetchone() == (3,)


def test_valkey_answers_where_the_settings_say(valkey: str) -> None:
    import redis
    from django.conf import settings

    client = redis.Redis.from_url(settings.THOTH_VALKEY_URL)
    assert valkey == settings.THOTH_VALKEY_URL
    assert client.ping()
    client.close()


@pytest.fixture
def guarded_table(transactional_db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("""
            CREATE OR REPLACE FUNCTION refuse_it() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
            CREATE OR REPLACE TRIGGER refuse_truncate BEFORE TRUNCATE ON auth_group
            EXECUTE FUNCTION refuse_it();
        """)


def test_flushing_passes_a_trigger_that_refuses_truncate(guarded_table: None) -> None:
    from django.core.management import call_command
    from django.db import InternalError, ProgrammingError

    Group.objects.create(name="to be flushed")
    call_command("flush", interactive=False, verbosity=0)
    assert not Group.objects.filter(name="to be flushed").exists()
    with (
        pytest.raises((InternalError, ProgrammingError), match="refused"),
        connection.cursor() as cursor,
    ):
        cursor.execute("TRUNCATE auth_group CASCADE")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER refuse_truncate ON auth_group")
