"""Which restructurer works: by option, else by setting."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings

from evidence_app.authoring.port import EvidenceRestructurer
from thoth.lib.errors import Invalid

# By name, "module:class": the model's runtime is loaded only when it is asked for.
RESTRUCTURERS = {
    "analyst": "evidence_app.authoring.restructurers.analyst:AnalystRestructurer",
    "pi": "evidence_app.authoring.restructurers.pi:PiRestructurer",
}


def restructurer_get(name: str = "") -> EvidenceRestructurer:
    """The restructurer `name`, or that of the setting THOTH_EVIDENCE_RESTRUCTURER.

    Raises: Invalid `restructurer_unknown`, `restructurer_unavailable`.
    """
    chosen = name or settings.THOTH_EVIDENCE_RESTRUCTURER
    if chosen not in RESTRUCTURERS:
        known = ", ".join(RESTRUCTURERS)
        message = f"There is no restructurer {chosen[:60]}; there are {known}."
        raise Invalid("restructurer_unknown", message)
    module, _, attribute = RESTRUCTURERS[chosen].partition(":")
    try:
        made: EvidenceRestructurer = getattr(import_module(module), attribute)()
    except ModuleNotFoundError:
        message = f"The restructurer {chosen} isn't installed here."
        raise Invalid("restructurer_unavailable", message) from None
    return made
