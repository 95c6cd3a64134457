"""Form fields for what YAML has and HTML forms have not: a list of lines, a list of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

SPARE_ROWS = 2
PAIRS_MAX = 500


class LinesField(forms.CharField):
    """One item per line; blank lines are none."""

    def __init__(self, *, rows: int = 3, mono: bool = False, **kwargs: Any) -> None:
        attributes = {
            "rows": rows,
            "class": "mono lines" if mono else "lines",
            "spellcheck": "false",
        }
        kwargs.setdefault("help_text", _("One per line."))
        super().__init__(widget=forms.Textarea(attributes), **kwargs)

    def prepare_value(self, value: object) -> object:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: object) -> Any:
        text = super().to_python(value) or ""
        return [line.strip() for line in text.splitlines() if line.strip()]

    def has_changed(self, initial: object, data: object) -> bool:
        return bool(self.to_python(self.prepare_value(initial)) != self.to_python(data))


class PairsWidget(forms.Widget):
    """A table of two columns; some empty rows wait at its end."""

    template_name = "admin/evidence_app/_pairs.html"

    def get_context(self, name: str, value: object, attrs: dict[str, Any] | None) -> dict[str, Any]:
        pairs = list(value) if isinstance(value, list | tuple) else []
        context = super().get_context(name, None, attrs)
        context["widget"]["pairs"] = [*pairs, *([{"value": "", "meaning": ""}] * SPARE_ROWS)]
        return context

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: object = None,  # noqa: ARG002 - Django's signature
    ) -> SafeString:
        # Django's own renderer of forms does not look into the project's templates.
        context = self.get_context(name, value, attrs)
        return SafeString(render_to_string(self.template_name, context))

    def value_from_datadict(
        self,
        data: Mapping[str, Any],
        files: MultiValueDict[str, Any],  # noqa: ARG002 - Django's signature
        name: str,
    ) -> list[dict[str, str]]:
        assert isinstance(data, MultiValueDict)
        values, meanings = data.getlist(f"{name}-value"), data.getlist(f"{name}-meaning")
        pairs = zip(values, meanings, strict=False)
        return [{"value": value.strip(), "meaning": meaning.strip()} for value, meaning in pairs]


class PairsField(forms.Field):
    """Values with their meanings; wholly empty rows are none."""

    widget = PairsWidget

    def to_python(self, value: object) -> list[dict[str, str]]:
        rows = value if isinstance(value, list) else []
        return [row for row in rows if row["value"] or row["meaning"]]

    def validate(self, value: object) -> None:
        if not value:
            raise forms.ValidationError(_("Write at least one value with its meaning."))
        if isinstance(value, list) and len(value) > PAIRS_MAX:
            raise forms.ValidationError(_("Too many values for one unit."))


def text_area(rows: int, *, mono: bool = False) -> forms.Textarea:
    """A field of several lines."""
    return forms.Textarea({"rows": rows, "class": "mono" if mono else ""})
