"""What the analyst says when it cannot go on, in the language of the question."""

from __future__ import annotations

from thoth.contracts.steps import Cannot

_TEXTS: dict[str, tuple[str, str]] = {
    "unexplained_words": (
        "Nothing in the warehouse explains: {words}. Say it in other words, or name the column.",
        "Niente nel warehouse spiega: {words}. Dillo con altre parole, o nomina la colonna.",
    ),
    "far_value": (
        "{words} is known only of other rows than those asked about. Name what it is said of.",
        "{words} è noto solo di righe diverse da quelle richieste. Nomina ciò di cui si dice.",
    ),
    "no_matching_table": (
        "No table of the warehouse matches the question.",
        "Nessuna tabella del warehouse corrisponde alla domanda.",
    ),
    "off_topic": (
        "The question does not seem to be about this warehouse.",
        "La domanda non sembra riguardare questo warehouse.",
    ),
    "unsupported_construct": (
        "This cannot be expressed yet: {words}.",
        "Questo non si può ancora esprimere: {words}.",
    ),
    "unplaced_words": (
        "It is unclear what {words} is meant to do in the question.",
        "Non è chiaro che cosa significhi {words} nella domanda.",
    ),
    "unexplained_number": (
        "It is unclear what the number means: {words}.",
        "Non è chiaro che cosa indichi il numero: {words}.",
    ),
    "no_date_column": (
        "No date of the warehouse fits the period: {words}.",
        "Nessuna data del warehouse corrisponde al periodo: {words}.",
    ),
    "no_path": (
        "No join connects what the question speaks of: {words}.",
        "Nessun join collega ciò di cui parla la domanda: {words}.",
    ),
    "ambiguous_total": (
        "“Total” may mean how many there are or how much they amount to: {words}.",
        "«Totale» può indicare quanti sono o quanto valgono: {words}.",
    ),
    "ambiguous_amount": (
        "Several columns may be the amount that is meant: {words}.",
        "Più colonne possono essere l'importo inteso: {words}.",
    ),
    "ambiguous_share": (
        "It is unclear which condition the share is of: {words}.",
        "Non è chiaro di quale condizione sia la quota: {words}.",
    ),
    "defined_in_words": (
        "The warehouse defines this share in words that cannot be followed by themselves: {words}.",
        "Il warehouse definisce questa quota a parole, non applicabili da sole: {words}.",
    ),
    "count_elsewhere": (
        "The warehouse says that {words} is not where these are counted. Name what to count.",
        "Il warehouse dice che non è in {words} che si contano. Nomina ciò che va contato.",
    ),
    "close_readings": (
        "Two readings are equally likely: {words}.",
        "Due letture sono ugualmente probabili: {words}.",
    ),
    "text_not_understood": (
        ("This text could not be understood as a change of the question: {words}. Name a table, a "
        "column, a value or a period."),
        ("Non è stato possibile capire questo testo come modifica della domanda: {words}. Nomina una "
        "tabella, una colonna, un valore o un periodo."),
    ),
    "text_without_effect": (
        ("This text would not change how the question is read: {words}. Name the table, column, value "
        "or period that should be different."),
        ("Questo testo non cambierebbe la lettura della domanda: {words}. Nomina la tabella, la colonna, "
        "il valore o il periodo che deve essere diverso."),
    ),
    "intent_not_served": (
        ("Nothing that the warehouse holds serves the approved question as it stands. Go back and have "
        "it rewritten, or name the tables and columns: {words}."),
        ("Niente nel warehouse serve la domanda approvata così com'è. Torna indietro e falla riscrivere, "
        "oppure nomina tabelle e colonne: {words}."),
    ),
    "one_formula": (
        "There is one known formula for this concept; another one has to be written: {words}.",
        "Per questo concetto è nota una sola formula; un'altra va scritta: {words}.",
    ),
    "nothing_new": (
        "There is no other proposal that the decisions allow.",
        "Non c'è un'altra proposta che le decisioni consentano.",
    ),
}  # fmt: skip
_GENERAL = ("The question cannot be read: {words}.", "La domanda non si può leggere: {words}.")


def cannot(code: str, language: str, words: tuple[str, ...] = ()) -> Cannot:
    """A `Cannot` with its sentence; the words concerned are quoted in it."""
    english, italian = _TEXTS.get(code, _GENERAL)
    template = italian if language == "it" else english
    quoted = ", ".join(f"«{w}»" if language == "it" else f"“{w}”" for w in words) or "…"
    return Cannot(code=code, message=template.format(words=quoted), words=words)
