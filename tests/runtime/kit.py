"""What the tests of Pi share: requests, handlers that remember, the real Pi or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from thoth.runtime.pi.types import Accept, Args, Limits, PiRequest, Provider, Refuse, ToolSpec

SEARCH = ToolSpec(
    "search_values",
    "Looks a text up.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
PROPOSE = ToolSpec(
    "propose",
    "Answers the step.",
    {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
    },
    terminal=True,
)
QUICK = Limits(deadline_s=15, poll_s=0.05, idle_s=10)


def request(
    url: str,
    *,
    tools: tuple[ToolSpec, ...] = (SEARCH, PROPOSE),
    key: str = "sk-secret-1",
    model: str = "model-1",
) -> PiRequest:
    provider = Provider("openai-completions", url, model, key)
    return PiRequest(provider, "You answer with propose.", "/question: how many?", tools)


@dataclass
class Recorder:
    """Handlers that remember what they were asked and answer as told."""

    verdict: Callable[[Args], Accept | Refuse] = lambda args: Accept(dict(args))
    answer: Callable[[str, Args], str] = lambda _tool, args: f"found {args.get('text')}"
    calls: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    proposals: list[dict[str, object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    said: str = ""
    stop: Callable[[], bool] = lambda: False

    def call(self, tool: str, args: Args, left_s: float) -> str:
        assert left_s > 0
        self.calls.append((tool, dict(args)))
        return self.answer(tool, args)

    def propose(self, args: Args) -> Accept | Refuse:
        self.proposals.append(dict(args))
        return self.verdict(args)

    def steering(self) -> list[str]:
        texts, self.texts = self.texts, []
        return texts

    def cancelled(self) -> bool:
        return self.stop()

    def on_text(self, text: str) -> None:
        self.said += text
