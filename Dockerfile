# One image for migrate, web, worker and beat (compose.yaml says which).
FROM python:3.12-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /app
ENV UV_PROJECT_ENVIRONMENT=/app/.venv UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
COPY pyproject.toml uv.lock README.md ./
RUN uv sync --frozen --no-default-groups --no-install-project
COPY . .
RUN uv sync --frozen --no-default-groups && python static/fetch_assets.py

FROM python:3.12-slim
# The Evidence of a workspace lives in a Git repository.
RUN apt-get update && apt-get install --yes --no-install-recommends git openssh-client \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 thoth && mkdir /data && chown thoth /data
COPY --from=build --chown=root:root /app /app
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=thoth.settings.base \
    THOTH_HOME=/data \
    OMP_NUM_THREADS=1
USER thoth
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "thoth.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--no-server-header"]
