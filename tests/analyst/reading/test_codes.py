"""Codes that a comment explains, also where words follow the brackets."""

from __future__ import annotations

from thoth.analyst.linking.schema_view import read_codes
from thoth.contracts.tools import ColumnSample


def test_words_after_the_brackets_do_not_hide_a_code() -> None:
    comment = "State: E = executed, A = cancelled (called off) in advance, N = not shown (no-show)."
    sample = ColumnSample(column="dw.visit.state", values=("E", "A", "N"), distinct=3)
    codes = {code.value: (code.words, code.aliases) for code in read_codes(comment, sample)}
    assert codes == {
        "E": (("executed",), ()),
        "A": (("cancelled",), (("called", "off"),)),
        "N": (("not", "shown"), (("no", "show"),)),
    }
