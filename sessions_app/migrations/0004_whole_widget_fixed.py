"""Everything of a widget or a text is fixed but what the engine has to change.

The triggers of 0002 named the columns that are fixed, and a widget's kind, phase and stage were not
among them. Now the columns that may change are named: a later column is fixed from the start.
"""

from django.db import migrations

CREATE = """
CREATE OR REPLACE TRIGGER widget_request_and_answer_fixed BEFORE UPDATE ON sessions_app_widget
  FOR EACH ROW WHEN (
    to_jsonb(NEW) - ARRAY['status', 'answer', 'answer_hash', 'answered_by', 'answered_at']
    IS DISTINCT FROM
    to_jsonb(OLD) - ARRAY['status', 'answer', 'answer_hash', 'answered_by', 'answered_at']
    OR (OLD.answer IS NOT NULL AND (
      NEW.answer IS DISTINCT FROM OLD.answer OR NEW.answer_hash <> OLD.answer_hash
      OR NEW.answered_by <> OLD.answered_by OR NEW.answered_at IS DISTINCT FROM OLD.answered_at
    ))
  ) EXECUTE FUNCTION thoth_refuse_change();
CREATE OR REPLACE TRIGGER freetext_text_fixed BEFORE UPDATE ON sessions_app_freetext
  FOR EACH ROW WHEN (
    to_jsonb(NEW) - ARRAY['status', 'reading', 'addressed_by_widget_id', 'addressed_by_run_id']
    IS DISTINCT FROM
    to_jsonb(OLD) - ARRAY['status', 'reading', 'addressed_by_widget_id', 'addressed_by_run_id']
  ) EXECUTE FUNCTION thoth_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0003_session_request_key")]
    operations = [migrations.RunSQL(CREATE, migrations.RunSQL.noop)]
