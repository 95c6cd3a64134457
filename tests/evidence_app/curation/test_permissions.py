"""Without the role curator nothing of the curation opens, whatever else a person may."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evidence_app.admin import EvidenceUnitAdmin, ProposalAdmin, ReviewItemAdmin
from evidence_app.sync import evidence_sync
from tests.evidence_app.curation_kit import UTIC, WORKSPACE, make_client, unit
from thoth.accounts.services import user_ensure
from thoth.workspaces.repository import Repository, repository_log

pytestmark = pytest.mark.django_db

NAMES = [
    "evidence_app_evidenceunit_changelist",
    "evidence_app_evidenceunit_change",
    "evidence_app_evidenceunit_history",
    "evidence_app_reviewitem_changelist",
    "evidence_app_proposal_changelist",
    "evidence_app_proposal_change",
    "evidence_resolve",
    "evidence_jsi18n",
    "evidence_workspace",
    "evidence_sync",
    "evidence_source",
    "evidence_upload",
    "evidence_prepare",
]


def _address(name: str) -> str:
    arguments: list[object] = []
    if name.endswith(("_change", "_history")):
        arguments = [unit(UTIC).pk]
    elif name.startswith("evidence_") and name.rpartition("_")[2] in (
        "workspace",
        "sync",
        "source",
        "upload",
        "prepare",
    ):
        arguments = [WORKSPACE]
    return reverse(f"admin:{name}", args=arguments)


def test_every_page_is_listed_here() -> None:
    from django.contrib import admin

    from evidence_app.models import EvidenceUnit, Proposal, ReviewItem

    models = {EvidenceUnit: EvidenceUnitAdmin, Proposal: ProposalAdmin, ReviewItem: ReviewItemAdmin}
    urls = [u.name for m, cls in models.items() for u in cls(m, admin.site).get_urls()]
    assert sorted(map(str, urls)) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_refused_to_whoever_is_no_curator(repository: Repository, name: str) -> None:
    evidence_sync(WORKSPACE)
    reviewer = make_client("rita", "reviewer", "publisher", "operator")
    superuser = Client(raise_request_exception=False)
    user_ensure(username="root", roles=[], staff=True)
    superuser.force_login(User.objects.get(username="root"))
    for client in (reviewer, superuser):
        for method in (client.get, client.post):
            answer = method(_address(name))
            assert answer.status_code == 403
            assert "role_required" in answer.content.decode()
    assert Client().get(_address(name)).status_code == 302
    assert len(repository_log(repository)) == 1


@pytest.mark.parametrize("name", ["sync", "upload", "prepare", "resolve"])
def test_an_action_is_no_link(repository: Repository, anna: Client, name: str) -> None:
    evidence_sync(WORKSPACE)
    assert anna.get(_address(f"evidence_{name}")).status_code == 405


def test_a_list_costs_the_same_for_one_unit_and_for_many(
    repository: Repository, anna: Client, django_assert_max_num_queries
) -> None:
    evidence_sync(WORKSPACE)
    with django_assert_max_num_queries(16):
        html = anna.get(_address("evidence_app_evidenceunit_changelist")).content.decode()
    assert "Giorni-di-degenza" in html


def test_filters_find_kind_purpose_and_what_blocks(repository: Repository, anna: Client) -> None:
    evidence_sync(WORKSPACE)
    address = _address("evidence_app_evidenceunit_changelist")

    def titles(query: str) -> set[str]:
        html = anna.get(f"{address}?{query}").content.decode()
        return {
            title for title in ("Utic", "Regime", "Giorni-di-degenza") if f">{title}</a>" in html
        }

    assert titles("kind=enum") == {"Regime"}
    assert titles("purpose=rewriting") == set()
    assert titles("purpose=sql_generation") == {"Utic", "Regime", "Giorni-di-degenza"}
    assert titles("blocks_publication__exact=1") == {"Utic"}
    assert titles("q=terapia") == {"Utic"}


@pytest.mark.parametrize("number", ["²", "9" * 4_500, "-1", "1.0", "uno"])
@pytest.mark.parametrize("model", ["evidenceunit", "proposal"])
def test_what_is_no_row_number_is_not_found(
    repository: Repository, anna: Client, model: str, number: str
) -> None:
    assert anna.get(f"/admin/evidence_app/{model}/{number}/change/").status_code == 404
