"""Settings for every way of running; all that differs comes from the environment (env.py)."""

from __future__ import annotations

from pathlib import Path

from thoth.settings.env import env_bool, env_int, env_list, env_str

BASE_DIR = Path(__file__).resolve().parents[2]
SECRET_KEY = env_str("THOTH_SECRET_KEY", "insecure-only-for-tools")
DEBUG = env_bool("THOTH_DEBUG", default=False)
ALLOWED_HOSTS = env_list("THOTH_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_typer",
    "thoth.accounts",
    "thoth.warehouse",
    "sessions_app",
    "evidence_app",
    "memory_app",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "thoth.urls"
ASGI_APPLICATION = "thoth.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": env_str("THOTH_DB_NAME", "thoth"),
        "USER": env_str("THOTH_DB_USER", "thoth"),
        "PASSWORD": env_str("THOTH_DB_PASSWORD", ""),
        "HOST": env_str("THOTH_DB_HOST", "127.0.0.1"),
        "PORT": env_int("THOTH_DB_PORT", default=5432),
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("it", "Italiano")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
THOTH_HOME = Path(env_str("THOTH_HOME", str(BASE_DIR / ".thoth")))
THOTH_VALKEY_URL = env_str("THOTH_VALKEY_URL", "redis://127.0.0.1:6379/0")
# The key of the ledger's hash chain; losing it makes the chains unverifiable.
THOTH_LEDGER_KEY = env_str("THOTH_LEDGER_KEY", "")
# A role that serves requests while another migrates: it may only insert and read ledger rows.
THOTH_DB_APP_ROLE = env_str("THOTH_DB_APP_ROLE", "")
THOTH_WORKFLOW_FILE = env_str("THOTH_WORKFLOW_FILE", "")
