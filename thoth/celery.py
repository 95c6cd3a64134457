"""The Celery application: `celery -A thoth.celery worker|beat`."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import beat_init, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")

app = Celery("thoth")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _require_safe_start(**_: object) -> None:
    from thoth.settings.start import require_safe_start  # noqa: PLC0415 - needs Django set up

    require_safe_start()


worker_init.connect(_require_safe_start)
beat_init.connect(_require_safe_start)
