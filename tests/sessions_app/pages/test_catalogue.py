"""The Italian catalogue holds every text of the product, with the same placeholders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import gettext, override
from django.utils.translation.trans_real import DjangoTranslation, translation

ROOT = Path(settings.BASE_DIR)
MARKERS = {"_", "gettext", "gettext_lazy", "gettext_noop"}
IN_TEMPLATE = re.compile(r"""{%\s*translate\s+(["'])(.*?)\1|_\((["'])(.*?)\3\)""")
BLOCK = re.compile(
    r"{%\s*blocktranslate\b[^%]*%}(.*?){%\s*(?:plural|endblocktranslate)\s*%}", re.DOTALL
)
PLACEHOLDER = re.compile(r"%\(\w+\)s|%[sd]|\{\w+\}")


def of_python(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first = node.args[0] if node.args else None
            if node.func.id in MARKERS and isinstance(first, ast.Constant):
                yield str(first.value)


def of_template(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for match in IN_TEMPLATE.finditer(text):
        yield match.group(2) or match.group(4)
    for match in BLOCK.finditer(text):
        yield re.sub(r"{{\s*(\w+)\s*}}", r"%(\1)s", match.group(1))


def texts() -> set[str]:
    sources = [
        p for app in ("evidence_app", "sessions_app", "thoth") for p in (ROOT / app).rglob("*.py")
    ]
    found = {text for path in sources for text in of_python(path)}
    for path in (ROOT / "templates").rglob("*.html"):
        found |= set(of_template(path))
    return found


def italian() -> DjangoTranslation:
    return translation("it")


def test_every_text_is_translated() -> None:
    # Django brings some of its own: what counts is that a translation exists.
    catalogue = italian()._catalog  # type: ignore[attr-defined]
    missing = [t for t in texts() if t not in catalogue and (t, 0) not in catalogue]
    known_plural = {
        key[0] for part in catalogue._catalogs for key in part if isinstance(key, tuple)
    }
    assert sorted(set(missing) - known_plural) == []


def test_translations_keep_the_placeholders() -> None:
    with override("it"):
        for text in texts():
            assert sorted(PLACEHOLDER.findall(gettext(text))) in (
                sorted(PLACEHOLDER.findall(text)),
                [],
            ), text


def test_the_compiled_catalogue_is_the_written_one() -> None:
    folder = ROOT / "locale" / "it" / "LC_MESSAGES"
    written = re.findall(
        r'^msgid "(.+)"$', (folder / "django.po").read_text(encoding="utf-8"), re.MULTILINE
    )
    compiled = (folder / "django.mo").read_bytes()
    assert len(written) > 250
    for text in written:
        assert ast.literal_eval(f'"{text}"').encode() in compiled


@pytest.mark.django_db
def test_the_language_can_be_switched(owner: Client) -> None:
    assert "What do you want to know?" in owner.get("/").content.decode()
    response = owner.post("/i18n/setlang/", {"language": "it", "next": "/"})
    assert response["Location"] == "/"
    page = owner.get("/").content.decode()
    assert "Che cosa vuoi sapere?" in page
    assert '<html lang="it">' in page
