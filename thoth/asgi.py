"""ASGI entry point for uvicorn."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")
_django = get_asgi_application()

# The Celery application that tasks are sent with; without it they would go to a default broker.
import thoth.celery  # noqa: E402, F401
from thoth.lib.bodies import BodyLimit  # noqa: E402
from thoth.lib.limits import REQUEST_MAX_BYTES  # noqa: E402
from thoth.settings.start import require_safe_start  # noqa: E402 - needs the settings

require_safe_start()

application = BodyLimit(_django, REQUEST_MAX_BYTES)
