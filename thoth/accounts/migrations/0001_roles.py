"""The roles as groups, and the person of auth mode `none`."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROLES = ("reviewer", "curator", "publisher", "operator")


def add_roles(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    groups = [apps.get_model("auth", "Group").objects.get_or_create(name=role)[0] for role in ROLES]
    users = apps.get_model("auth", "User").objects
    defaults = {"is_staff": True, "is_superuser": True, "password": make_password(None)}
    local, _ = users.get_or_create(username="local", defaults=defaults)
    local.groups.add(*groups)


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [migrations.RunPython(add_roles, migrations.RunPython.noop)]
