from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.evidence_app.curation_kit import make_client, make_workspace
from thoth.workspaces.repository import Repository


@pytest.fixture
def repository(tmp_path: Path, settings: Settings) -> Repository:
    settings.THOTH_HOME = tmp_path / "home"
    settings.THOTH_AUTH = "mock"
    return make_workspace()


@pytest.fixture
def anna(db: None) -> Client:
    return make_client("anna", "curator")


@pytest.fixture
def bruno(db: None) -> Client:
    return make_client("bruno", "curator")
