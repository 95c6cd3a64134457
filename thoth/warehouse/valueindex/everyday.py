"""Everyday words of Italian and English: the frame of a question, not its literals.

In a question they match a stored word exactly or not at all, and count half when nothing else
of the value matches; otherwise "dimessi nel primo trimestre" would find values everywhere.
The lists are short: entries are inflected by the rules below, over-generation does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from thoth.warehouse.valueindex.normal import norm

_FOLDER = Path(__file__).parent / "words"
_IT_ENDINGS = {
    "are": "are a i o ano iamo ate ato ata ati ate ando ava avano avo era eranno erebbe asse arono ante anti "
    "ami aci arsi arne arlo arla arli arle andosi",
    "ere": "ere e i o ono iamo ete uto uta uti ute endo eva evano era eranno erebbe ente enti imi ersi",
    "ire": "ire e i o ono isce isci isco iscono iamo ite ito ita iti ite endo iva ivano ira iranno ente enti imi irsi",
    "rre": "rre ce ci co cono tto tta tti tte cendo ceva cevano zione",
    "re": "re ta to ti te",
}
_IT_ADJECTIVE = {"o": "o a i e", "a": "a e", "e": "e i"}


def _after_stem(stem: str, ending: str) -> str:
    """c and g keep their hard sound before e and i: cerc+i is cerchi, pag+ero is pagherò."""
    return f"{stem}h{ending}" if stem[-1] in "cg" and ending[0] in "ei" else stem + ending


def _italian(section: str, entry: str) -> Iterator[str]:
    stem, _, ending = entry.partition(":")
    yield stem + ending
    table = _IT_ENDINGS if section == "verbs" else _IT_ADJECTIVE
    for form in table.get(ending, "").split():
        yield stem + form
        yield _after_stem(stem, form)


def _english(section: str, entry: str) -> Iterator[str]:
    yield entry
    base = entry.removesuffix("e")
    if entry.endswith("y") and entry[-2] not in "aeiou":
        yield entry[:-1] + "ies"
        base = entry[:-1] + "i" if section == "verbs" else base
    yield entry + ("es" if entry.endswith(("s", "x", "ch", "sh")) else "s")
    if section == "verbs":
        doubled = entry + entry[-1]
        yield from (base + "ed", entry.rstrip("e") + "ing", doubled + "ed", doubled + "ing")


def _entries(language: str) -> Iterator[tuple[str, str]]:
    section = ""
    for line in (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            yield from ((section, entry) for entry in line.split())


@cache
def everyday_words() -> frozenset[str]:
    """All forms, normalised. Read once per process, at the first search."""
    found: set[str] = set()
    for language, inflect in (("it", _italian), ("en", _english)):
        for section, entry in _entries(language):
            forms = (entry,) if section == "words" else inflect(section, entry)
            found.update(norm(form) for form in forms)
    return frozenset(found)
