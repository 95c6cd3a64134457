"""What the database itself refuses: changing the ledger, requests, answers, texts and contents.

The triggers do not fire under `session_replication_role = replica`, which only a superuser can set:
that is how the test-suite empties tables.
"""

from __future__ import annotations

from django.conf import settings
from django.db import migrations

from sessions_app.grants import grant_application_role

CREATE = """
CREATE FUNCTION thoth_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: it is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sessions_app_ledgerrow
  FOR EACH STATEMENT EXECUTE FUNCTION thoth_refuse_change();
CREATE TRIGGER content_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sessions_app_content
  FOR EACH STATEMENT EXECUTE FUNCTION thoth_refuse_change();
CREATE TRIGGER artifactversion_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON sessions_app_artifactversion
  FOR EACH STATEMENT EXECUTE FUNCTION thoth_refuse_change();
CREATE TRIGGER widget_no_delete BEFORE DELETE OR TRUNCATE ON sessions_app_widget
  FOR EACH STATEMENT EXECUTE FUNCTION thoth_refuse_change();
CREATE TRIGGER freetext_no_delete BEFORE DELETE OR TRUNCATE ON sessions_app_freetext
  FOR EACH STATEMENT EXECUTE FUNCTION thoth_refuse_change();

CREATE TRIGGER widget_request_and_answer_fixed BEFORE UPDATE ON sessions_app_widget
  FOR EACH ROW WHEN (
    NEW.request IS DISTINCT FROM OLD.request
    OR NEW.session_id <> OLD.session_id OR NEW.uid <> OLD.uid OR NEW.number <> OLD.number
    OR (OLD.answer IS NOT NULL AND (
      NEW.answer IS DISTINCT FROM OLD.answer OR NEW.answer_hash <> OLD.answer_hash
      OR NEW.answered_by <> OLD.answered_by OR NEW.answered_at IS DISTINCT FROM OLD.answered_at
    ))
  ) EXECUTE FUNCTION thoth_refuse_change();
CREATE TRIGGER freetext_text_fixed BEFORE UPDATE ON sessions_app_freetext
  FOR EACH ROW WHEN (
    NEW.text <> OLD.text OR NEW.author <> OLD.author OR NEW.kind <> OLD.kind
    OR NEW.session_id <> OLD.session_id OR NEW.uid <> OLD.uid OR NEW.number <> OLD.number
  ) EXECUTE FUNCTION thoth_refuse_change();

ALTER TABLE sessions_app_content ADD CONSTRAINT content_under_its_hash
  CHECK (sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex'));
"""
DROP = """
ALTER TABLE sessions_app_content DROP CONSTRAINT content_under_its_hash;
DROP FUNCTION thoth_refuse_change() CASCADE;
"""


def grant(apps, schema_editor):
    if settings.THOTH_DB_APP_ROLE:
        grant_application_role(schema_editor.connection, settings.THOTH_DB_APP_ROLE)


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0001_initial")]
    operations = [
        migrations.RunSQL(CREATE, DROP),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
