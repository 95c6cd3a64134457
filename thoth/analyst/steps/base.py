"""What every step shares: one interpretation of the question under the task's decisions."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from thoth.analyst.guide import Guide, guide_of
from thoth.analyst.interpret import Interpretation, interpret, load_schema
from thoth.analyst.language.frame import read_frame
from thoth.analyst.messages import cannot
from thoth.analyst.reading.reading import Reading
from thoth.analyst.steering import Steer, steer
from thoth.contracts.steps import Cannot, TextReading
from thoth.contracts.task import TaskDocument
from thoth.runtime.port import Toolbox

_CACHE_MAX = 64
_cache: OrderedDict[str, Interpretation] = OrderedDict()


@dataclass(frozen=True)
class Work:
    """One step's question, decisions and texts. `checkpoint` raises when the deadline has passed."""

    task: TaskDocument
    tools: Toolbox
    guide: Guide
    found: Interpretation
    addressed: tuple[TextReading, ...]
    unclear: Cannot | None
    steers: tuple[Steer, ...]

    @property
    def language(self) -> str:
        return self.found.frame.language

    @property
    def reading(self) -> Reading | None:
        """The best reading when it is complete."""
        best = self.found.best
        return best if best is not None and best.ok else None

    def problem(self) -> Cannot:
        """Why there is no complete reading."""
        best = self.found.best
        if best is None or not self.found.mentions:
            return cannot("off_topic", self.language)
        if best.unexplained:
            return cannot("unexplained_words", self.language, best.unexplained)
        code, words = best.trouble or ("unsupported_construct", ())
        return cannot(code, self.language, words)


def prepare(task: TaskDocument, tools: Toolbox, checkpoint: Callable[[], None]) -> Work:
    """Read the pending texts, then the question under all decisions and these texts."""
    guide = guide_of(task)
    checkpoint()
    steers = tuple(_steers(task, tools, guide))
    checkpoint()
    followed = tuple(s.text for s in steers if s.understood)
    guide = replace(guide, steering=tuple(dict.fromkeys((*guide.steering, *followed))))
    found = _interpreted(task, tools, guide)
    addressed = tuple(
        TextReading(text_id=text.id, reading=s.reading(found.frame.language))
        for text, s in zip(task.texts, steers, strict=True)
        if s.understood
    )
    unclear = [s.text for s in steers if not s.understood]
    problem = (
        cannot("text_not_understood", found.frame.language, tuple(unclear)) if unclear else None
    )
    if problem is not None:
        asked = {t.id: t.text for t in task.texts if t.text in unclear}
        addressed += tuple(TextReading(text_id=i, reading=problem.message) for i in asked)
    return Work(task, tools, guide, found, addressed, problem, steers)


def _steers(task: TaskDocument, tools: Toolbox, guide: Guide) -> list[Steer]:
    if not task.texts:
        return []
    frame = read_frame(task.question, task.today, task.language)
    texts = tuple(text.text for text in task.texts)
    schema, _ = load_schema(frame, tools.search_values(task.question), tools, texts)
    return [
        steer(text, task.today, frame.language, schema, tools.search_values(text)) for text in texts
    ]


def _interpreted(task: TaskDocument, tools: Toolbox, guide: Guide) -> Interpretation:
    """Cached for the steps of one process: the key holds everything the result depends on."""
    parts = (
        task.workspace,
        task.catalog_version,
        task.question,
        task.language,
        task.today.isoformat(),
        repr(guide),
    )
    key = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
    if task.catalog_version and key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    found = interpret(task.question, task.today, task.language, tools, guide)
    if task.catalog_version:
        _cache[key] = found
        while len(_cache) > _CACHE_MAX:
            _cache.popitem(last=False)
    return found
