#!/bin/bash
# Runs once, when the postgres container makes its data: the role that serves requests.
# It owns nothing; `tht migrate` (THOTH_DB_APP_ROLE) grants it what it needs.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -v password="$APP_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE thoth LOGIN PASSWORD :'password';
REVOKE ALL ON DATABASE thoth FROM PUBLIC;
GRANT CONNECT ON DATABASE thoth TO thoth;
SQL
