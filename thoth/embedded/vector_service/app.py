"""The ASGI application over one data directory."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette

from thoth.embedded.vector_service.auth import Keys
from thoth.embedded.vector_service.routes import routes
from thoth.embedded.vector_service.storage import Collections


def create_app(root: Path, keys: Keys) -> Starlette:
    """Collections are opened when the application starts and closed when it stops."""
    collections = Collections(root)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        collections.open()
        try:
            yield
        finally:
            # Here and not after uvicorn's run(): it raises the stopping signal again.
            collections.close()

    app = Starlette(routes=routes(), lifespan=lifespan)
    app.state.collections, app.state.keys = collections, keys
    return app
