"""Settings for every way of running; all that differs comes from the environment (env.py).

docs/operators.md lists every variable; a test compares that table with what is read here.
"""

from __future__ import annotations

from pathlib import Path

from thoth.lib.limits import REQUEST_MAX_BYTES
from thoth.settings.env import env_bool, env_choice, env_float, env_int, env_list, env_str

BASE_DIR = Path(__file__).resolve().parents[2]
THOTH_HOME = Path(env_str("THOTH_HOME", str(BASE_DIR / ".thoth"))).absolute()

# --- secrets: empty for tools that need none; the servers refuse to start without them ---------
INSECURE_SECRET_KEY = "insecure-only-for-tools-that-serve-nobody"  # noqa: S105
SECRET_KEY = env_str("THOTH_SECRET_KEY", "") or INSECURE_SECRET_KEY
THOTH_LEDGER_KEY = env_str("THOTH_LEDGER_KEY", "")

# --- who may call, and how -----------------------------------------------------------------------
DEBUG = env_bool("THOTH_DEBUG", default=False)
ALLOWED_HOSTS = env_list("THOTH_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("THOTH_TRUSTED_ORIGINS")
THOTH_BIND = env_str("THOTH_BIND", "127.0.0.1")
THOTH_PORT = env_int("THOTH_PORT", default=8000)
THOTH_AUTH = env_choice("THOTH_AUTH", ("none", "mock", "oidc"), default="none")
THOTH_ALLOW_INSECURE_AUTH = env_bool("THOTH_ALLOW_INSECURE_AUTH", default=False)
# Rights of this installation: a workstation refuses publication and destructive commands.
THOTH_PROFILE = env_choice("THOTH_PROFILE", ("server", "workstation"), default="server")

# --- how the engine works ------------------------------------------------------------------------
THOTH_MODEL_RUNTIME = env_choice(
    "THOTH_MODEL_RUNTIME", ("analyst", "scripted", "pi"), default="analyst"
)
THOTH_EVIDENCE_RESTRUCTURER = env_choice(
    "THOTH_EVIDENCE_RESTRUCTURER", ("analyst", "pi"), default="analyst"
)
# The model of workspaces whose workspace.yaml names none, and the key of any.
THOTH_MODEL_PROVIDER = env_str("THOTH_MODEL_PROVIDER", "")
THOTH_MODEL_NAME = env_str("THOTH_MODEL_NAME", "")
THOTH_MODEL_BASE_URL = env_str("THOTH_MODEL_BASE_URL", "")
THOTH_MODEL_EXTERNAL = env_bool("THOTH_MODEL_EXTERNAL", default=False)
THOTH_MODEL_API_KEY = env_str("THOTH_MODEL_API_KEY", "")
# The transcript that the scripted runtime replays.
THOTH_SCRIPT = env_str("THOTH_SCRIPT", "")
THOTH_STEP_DEADLINE_S = env_float("THOTH_STEP_DEADLINE_S", default=300.0)
THOTH_LEASE_S = env_float("THOTH_LEASE_S", default=15.0)
THOTH_LEASE_RENEW_S = env_float("THOTH_LEASE_RENEW_S", default=5.0)
THOTH_BEAT_S = env_float("THOTH_BEAT_S", default=10.0)
THOTH_TIDY_S = env_float("THOTH_TIDY_S", default=3600.0)
# Tests only: the named point of the step loop at which the process kills itself.
THOTH_FAULT = env_str("THOTH_FAULT", "")
# Another workflow definition than the built-in one.
THOTH_WORKFLOW_FILE = env_str("THOTH_WORKFLOW_FILE", "")

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
    "thoth.lib.http.RequestIdMiddleware",
    "thoth.lib.http.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "thoth.accounts.middleware.AuthModeMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "thoth.lib.http.AddressMiddleware",
    "thoth.lib.http.ErrorMiddleware",
]
ROOT_URLCONF = "thoth.urls"
ASGI_APPLICATION = "thoth.asgi.application"
CSRF_FAILURE_VIEW = "thoth.lib.http.csrf_failure"
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "/"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- PostgreSQL ------------------------------------------------------------------------------------
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": env_str("THOTH_DB_NAME", "thoth"),
        "USER": env_str("THOTH_DB_USER", "thoth"),
        "PASSWORD": env_str("THOTH_DB_PASSWORD", ""),
        "HOST": env_str("THOTH_DB_HOST", "127.0.0.1"),
        "PORT": env_int("THOTH_DB_PORT", default=5432),
        "OPTIONS": {"connect_timeout": 10, "application_name": "thoth"},
    }
}
# The role that serves requests, when another one (THOTH_DB_USER of `tht migrate`) owns the tables.
THOTH_DB_APP_ROLE = env_str("THOTH_DB_APP_ROLE", "")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Valkey and Celery -----------------------------------------------------------------------------
THOTH_VALKEY_URL = env_str("THOTH_VALKEY_URL", "redis://127.0.0.1:6379/0")
CELERY_BROKER_URL = THOTH_VALKEY_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# Early: a lost worker's message is not delivered again; the lease and the sweep do that better.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# An edge that cannot enqueue logs it and goes on: the sweep finds the work.
CELERY_TASK_PUBLISH_RETRY = False
# Short: an answer waits for a broker that hangs, though nobody needs the task to go on.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 3}
CELERY_TASK_TIME_LIMIT = 600
CELERY_BEAT_SCHEDULE = {
    "sessions_app.sweep": {
        "task": "sessions_app.sweep",
        "schedule": THOTH_BEAT_S,
        # A worker that comes back late need not run every sweep that it missed.
        "options": {"expires": THOTH_BEAT_S},
    },
    "sessions_app.tidy": {
        "task": "sessions_app.tidy",
        "schedule": THOTH_TIDY_S,
        "options": {"expires": THOTH_TIDY_S},
    },
}

# --- security headers and cookies; THOTH_HTTPS when a proxy serves the pages by TLS ----------------
THOTH_HTTPS = env_bool("THOTH_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = THOTH_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if THOTH_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = THOTH_HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if THOTH_HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# Cookies know no ports: another product on the same host must not log ours out.
SESSION_COOKIE_NAME = "thoth_session"
CSRF_COOKIE_NAME = "thoth_csrf"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = REQUEST_MAX_BYTES

# --- language, time, files -------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("it", "Italiano")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served straight from where they are: no collectstatic, no STATIC_ROOT.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# A crash of a command is a sentence or a plain trace, never a framed one with our source in it.
DT_RICH_TRACEBACK_CONFIG = False

# --- logging ---------------------------------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "thoth.lib.http.RequestIdFilter"}},
    "formatters": {
        "line": {
            "format": "%(asctime)s %(levelname)s %(name)s request=%(request_id)s %(message)s",
        }
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["request_id"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env_str("THOTH_LOG_LEVEL", "INFO")},
    "loggers": {
        "django.server": {"handlers": ["stderr"], "propagate": False},
        "httpx": {"level": "WARNING"},
        "markdown_it": {"level": "WARNING"},
    },
}
