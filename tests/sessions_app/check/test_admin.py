"""The admin shows what was recorded and changes nothing."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin

from sessions_app.models import LedgerRow
from tests.sessions_app.builders import make_session, walk

pytestmark = pytest.mark.django_db
REGISTERED = [
    m for m in apps.get_app_config("sessions_app").get_models() if admin.site.is_registered(m)
]


@pytest.mark.parametrize("model", REGISTERED, ids=lambda m: m.__name__)
def test_lists_open_and_adding_is_refused(admin_client, model):
    walk(make_session(), "end")
    base = f"/admin/sessions_app/{model._meta.model_name}/"
    assert admin_client.get(base).status_code == 200
    assert admin_client.get(base + "add/").status_code == 403


def test_a_row_can_be_read_but_neither_changed_nor_deleted(admin_client):
    walk(make_session(), "memory")
    row = LedgerRow.objects.first()
    base = f"/admin/sessions_app/ledgerrow/{row.pk}/"
    assert admin_client.get(base + "change/").status_code == 200
    assert admin_client.post(base + "change/", {"detail": "x"}).status_code == 403
    assert admin_client.post(base + "delete/", {"post": "yes"}).status_code == 403
    row.refresh_from_db()
    assert row.detail == ""
