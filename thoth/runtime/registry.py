"""Which runtime answers a workspace's steps."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from thoth.lib.errors import Invalid
from thoth.runtime.port import Runtime

# By name, not by import: the runtimes implement this package's port and are above it.
RUNTIMES = {
    "analyst": "thoth.analyst.runtime.AnalystRuntime",
    "scripted": "thoth.runtime.scripted.ScriptedRuntime",
    "pi": "thoth.runtime.pi.runtime.PiRuntime",
}


def runtime_for(workspace: str) -> Runtime:  # noqa: ARG001 - PiRuntime reads it from the task
    """A runtime for one step. Raises: Invalid `runtime_unknown`."""
    name = settings.THOTH_MODEL_RUNTIME
    if name not in RUNTIMES:
        known = ", ".join(RUNTIMES)
        raise Invalid("runtime_unknown", f"THOTH_MODEL_RUNTIME={name}: use one of {known}.")
    runtime: Runtime = import_string(RUNTIMES[name])()
    return runtime
