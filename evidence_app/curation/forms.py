"""One typed form per kind: the envelope that all share, and the kind's own payload.

A form gives back the document that stands in the file; what the document may hold is the
model's business, and its complaints are put at the fields they are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from evidence_app.curation.fields import LinesField, PairsField, text_area
from evidence_app.types import PURPOSES

PAYLOAD = "payload_"
SCOPE = ("concepts", "tables", "columns")
PURPOSE_LABELS = {
    "disambiguation": _("disambiguation"),
    "rewriting": _("rewriting"),
    "schema_linking": _("schema linking"),
    "sql_generation": _("SQL generation"),
}
KIND_LABELS = {
    "glossary": _("glossary"),
    "domain": _("domain"),
    "enum": _("codes and values"),
    "example": _("example"),
    "mapping": _("mapping"),
    "normalization": _("normalisation"),
    "formula": _("formula"),
    "reference": _("reference"),
}


class UnitForm(forms.Form):
    """The envelope. Subclasses add the payload's fields, named `payload_…`."""

    kind: ClassVar[str]

    title = forms.CharField(label=_("Title"), max_length=400)
    purposes = forms.MultipleChoiceField(
        label=_("Purposes"),
        choices=[(purpose, PURPOSE_LABELS[purpose]) for purpose in PURPOSES],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The stages that should find it."),
    )
    concepts = LinesField(label=_("Concepts"), required=False)
    tables = LinesField(
        label=_("Tables"), required=False, mono=True, help_text=_("schema.table, one per line.")
    )
    columns = LinesField(
        label=_("Columns"),
        required=False,
        mono=True,
        help_text=_("schema.table.column, one per line."),
    )
    language = forms.CharField(label=_("Language"), max_length=20)
    limitations = forms.CharField(label=_("Limitations"), required=False, widget=text_area(2))

    @property
    def payload_fields(self) -> list[forms.BoundField]:
        """The kind's own fields, in order."""
        return [self[name] for name in self.fields if name.startswith(PAYLOAD)]

    @property
    def scope_fields(self) -> list[forms.BoundField]:
        """What the unit is about."""
        return [self[name] for name in (*SCOPE, "limitations", "language")]

    def clean(self) -> dict[str, Any]:
        """Browsers send CRLF; files have LF."""
        cleaned = super().clean() or self.cleaned_data
        return {
            name: value.replace("\r\n", "\n") if isinstance(value, str) else value
            for name, value in cleaned.items()
        }

    def document(self, original: Mapping[str, Any]) -> dict[str, Any]:
        """`original` (id, provenance, review items) with what the form says, as far as it is valid."""
        said = getattr(self, "cleaned_data", {})
        names = [
            name for name in self.fields if name.startswith(PAYLOAD) and name != "payload_body"
        ]
        found = {name.removeprefix(PAYLOAD): said.get(name) for name in names}
        document = {
            **original,
            "title": said.get("title"),
            "kind": self.kind,
            "purposes": said.get("purposes"),
            "scope": {name: said.get(name, []) for name in SCOPE},
            "language": said.get("language"),
            "limitations": said.get("limitations") or None,
            # An optional field left empty is not in the file.
            "payload": {name: value for name, value in found.items() if value not in ("", None)},
        }
        return document

    @property
    def body(self) -> str:
        """The prose below the frontmatter."""
        text = str(self.cleaned_data.get("payload_body", ""))
        return text.replace("\r\n", "\n").strip()


class GlossaryForm(UnitForm):
    kind = "glossary"
    payload_term = forms.CharField(label=_("Term"))
    payload_definition = forms.CharField(label=_("Definition"), widget=text_area(4))
    payload_synonyms = LinesField(label=_("Synonyms"), required=False)


class DomainForm(UnitForm):
    kind = "domain"
    payload_summary = forms.CharField(label=_("Summary"), widget=text_area(3))
    payload_body = forms.CharField(
        label=_("Text"), widget=text_area(14), help_text=_("Markdown; `## …` begins a section.")
    )


class EnumForm(UnitForm):
    kind = "enum"
    payload_column = forms.CharField(
        label=_("Column"),
        widget=forms.TextInput({"class": "mono"}),
        help_text="schema.table.column",
    )
    payload_entries = PairsField(label=_("Values"))


class ExampleForm(UnitForm):
    kind = "example"
    payload_question = forms.CharField(label=_("Question"), widget=text_area(2))
    payload_sql = forms.CharField(label="SQL", widget=text_area(10, mono=True))
    payload_notes = forms.CharField(label=_("Notes"), required=False, widget=text_area(3))


class MappingForm(UnitForm):
    kind = "mapping"
    payload_concept = forms.CharField(label=_("Concept"))
    payload_columns = LinesField(label=_("Columns that express it"), mono=True)
    payload_rule = forms.CharField(label=_("Rule"), widget=text_area(4))


class NormalizationForm(UnitForm):
    kind = "normalization"
    payload_inputs = LinesField(label=_("What people write"))
    payload_canonical = forms.CharField(label=_("What it means"))
    payload_rule = forms.CharField(label=_("Rule"), required=False, widget=text_area(3))


class FormulaForm(UnitForm):
    kind = "formula"
    payload_concept = forms.CharField(label=_("Concept"))
    payload_columns = LinesField(label=_("Columns it uses"), required=False, mono=True)
    payload_sql = forms.CharField(
        label=_("SQL expression"),
        widget=text_area(5, mono=True),
        help_text=_("One PostgreSQL expression, without SELECT."),
    )


class ReferenceForm(UnitForm):
    kind = "reference"
    payload_url = forms.CharField(label=_("Address"), widget=forms.TextInput({"class": "mono"}))
    payload_label = forms.CharField(label=_("Label"))
    payload_description = forms.CharField(label=_("Description"), widget=text_area(3))


FORMS: dict[str, type[UnitForm]] = {
    form.kind: form
    for form in (
        GlossaryForm,
        DomainForm,
        EnumForm,
        ExampleForm,
        MappingForm,
        NormalizationForm,
        FormulaForm,
        ReferenceForm,
    )
}
# When the kind changes, what was written moves to the new kind's field of the same meaning.
_SAME_MEANING = (
    ("term", "concept", "canonical", "label", "question"),
    ("definition", "rule", "summary", "description", "notes"),
    ("synonyms", "inputs"),
)


def initial_of(kind: str, document: Mapping[str, Any], body: str) -> dict[str, Any]:
    """What a form of `kind` shows for the document of a file, which may be of another kind."""
    payload = dict(document.get("payload") or {})
    if document.get("kind") != kind:
        payload = _carried_over(payload, FORMS[kind])
        body = body or str(payload.get("summary", ""))
    scope = document.get("scope") or {}
    envelope = {
        name: document.get(name) for name in ("title", "purposes", "language", "limitations")
    }
    return {
        **envelope,
        **{name: scope.get(name, []) for name in SCOPE},
        **{PAYLOAD + name: value for name, value in payload.items()},
        "payload_body": body,
    }


def field_of(form: UnitForm, location: Iterable[object]) -> str | None:
    """The form's field that a place in the document belongs to; None for the document's own."""
    parts = [str(part) for part in location]
    candidates = [PAYLOAD + part for part in parts[1:2] if parts[:1] == ["payload"]]
    candidates += [part for part in parts[1:2] if parts[:1] == ["scope"]]
    candidates += ["payload_body" if part == "body" else part for part in parts[:1]]
    return next((name for name in candidates if name in form.fields), None)


def _carried_over(payload: Mapping[str, Any], form: type[UnitForm]) -> dict[str, Any]:
    wanted = [name.removeprefix(PAYLOAD) for name in form.base_fields if name.startswith(PAYLOAD)]
    carried = {name: payload[name] for name in wanted if name in payload}
    for group in _SAME_MEANING:
        value = next((payload[name] for name in group if name in payload), None)
        if value is not None:
            carried.update(
                {name: value for name in group if name in wanted and name not in carried}
            )
    if "columns" in wanted and "column" in payload:
        carried.setdefault("columns", [payload["column"]])
    if "column" in wanted and payload.get("columns"):
        carried.setdefault("column", payload["columns"][0])
    return carried
