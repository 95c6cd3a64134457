"""What every step shares: one interpretation of the question under the task's decisions."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from thoth.analyst.fits import Fits, fits_of
from thoth.analyst.guide import Guide, guide_of
from thoth.analyst.interpret import Interpretation, interpret, load_schema
from thoth.analyst.language.frame import read_frame
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.linking.schema_view import SchemaView
from thoth.analyst.messages import cannot
from thoth.analyst.steering import Steer, steer
from thoth.contracts.steps import Cannot, TextReading
from thoth.contracts.task import TaskDocument
from thoth.runtime.port import Toolbox

_CACHE_MAX = 64


@dataclass(frozen=True)
class Read:
    """A question as it was read: all readings, and those that make a query."""

    found: Interpretation
    fits: Fits

    @cached_property
    def graph(self) -> JoinGraph:
        """How the candidate tables connect."""
        return JoinGraph(self.found.schema)


class _Cache:
    """The latest readings of this process, bounded; safe for several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Read] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Read | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, read: Read) -> None:
        with self._lock:
            self._kept[key] = read
            while len(self._kept) > _CACHE_MAX:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


_cache = _Cache()


def forget_readings() -> None:
    """No reading is kept: the next step of any session reads its question anew."""
    _cache.clear()


@dataclass(frozen=True)
class Work:
    """One step's question, decisions and texts. `checkpoint` raises when the deadline has passed.

    Texts of the reviewer are read once (`steers`); the question is read under the decisions of F1 to
    F3 and those of the texts that were understood, unless a step asks for it `without_texts`.
    """

    task: TaskDocument
    tools: Toolbox
    checkpoint: Callable[[], None]

    @property
    def language(self) -> str:
        """The workspace's: what the reviewer reads."""
        return self.task.language

    @cached_property
    def guide(self) -> Guide:
        """The decisions before F4: those of F4 choose among readings, they do not make others."""
        return replace(guide_of(self.task), groundings={}, banned=frozenset(), replaced={})

    @cached_property
    def steers(self) -> tuple[Steer, ...]:
        if not self.task.texts:
            return ()
        self.checkpoint()
        schema = self._schema_of_texts()
        return tuple(
            steer(t.text, self.task.today, self.language, schema, self.tools.search_values(t.text))
            for t in self.task.texts
        )

    def _schema_of_texts(self) -> SchemaView:
        task = self.task
        frame = read_frame(task.question, task.today, task.language)
        texts = tuple(text.text for text in task.texts)
        values = self.tools.search_values(task.question)
        return load_schema(frame, values, self.tools, texts)[0]

    @property
    def followed(self) -> tuple[Steer, ...]:
        """The texts that say something the analyst can follow."""
        return tuple(s for s in self.steers if s.understood)

    @property
    def unclear(self) -> Cannot | None:
        """The texts in which nothing was understood, quoted."""
        texts = tuple(s.text for s in self.steers if not s.understood)
        return cannot("text_not_understood", self.language, texts) if texts else None

    @property
    def addressed(self) -> tuple[TextReading, ...]:
        """How each open text was understood, or that it was not."""
        return tuple(
            TextReading(text_id=text.id, reading=self._reading_of(s))
            for text, s in zip(self.task.texts, self.steers, strict=True)
        )

    def _reading_of(self, text: Steer) -> str:
        if text.understood:
            return text.reading(self.language)
        return cannot("text_not_understood", self.language, (text.text,)).message

    @cached_property
    def read(self) -> Read:
        """The question under the decisions and the texts."""
        texts = tuple(s.text for s in self.followed)
        steering = tuple(dict.fromkeys((*self.guide.steering, *texts)))
        return self._read(replace(self.guide, steering=steering))

    @cached_property
    def without_texts(self) -> Read:
        """The question as it was read before the open texts were written."""
        return self._read(self.guide)

    @property
    def found(self) -> Interpretation:
        return self.read.found

    @property
    def fits(self) -> Fits:
        return self.read.fits

    def fits_under(self, guide: Guide) -> Fits:
        """What the question would be read as under another guide."""
        return self._read(guide).fits

    @property
    def left_open(self) -> tuple[str, ...]:
        """Words that the reviewer decided to leave unexplained."""
        rows = [row.subject for row in self.task.decisions if row.type == "ambiguity_open"]
        return tuple(word for subject in rows for word in subject.split(", "))

    def problem(self) -> Cannot:
        """Why the question has no reading that makes a query."""
        best = self.found.best
        if best is None or not self.found.mentions:
            return cannot("off_topic", self.language)
        if best.trouble is not None:
            return cannot(best.trouble[0], self.language, best.trouble[1])
        if self.fits.problem is not None:
            return self.fits.problem
        return cannot("unexplained_words", self.language, best.unexplained)

    def _read(self, guide: Guide) -> Read:
        key = self._key(guide)
        known = _cache.get(key)
        if known is not None:
            return known
        self.checkpoint()
        task = self.task
        found = interpret(task.question, task.today, task.language, self.tools, guide)
        self.checkpoint()
        read = Read(found, fits_of(found, self.left_open))
        _cache.put(key, read)
        return read

    def _key(self, guide: Guide) -> str:
        """Everything the result depends on; the session, because values may change between two."""
        task = self.task
        parts = (task.workspace, task.catalog_version, task.session_id, task.question, task.language,
                 task.today.isoformat(), repr(guide), repr(self.left_open))  # fmt: skip
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
