"""What of a case a program got right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cases import Case


@dataclass(frozen=True)
class Verdict:
    """Whether each part is right; ``None`` where nothing is compared."""

    calls: bool | None
    text: bool | None
    reasoning: bool | None

    @property
    def whole(self) -> bool:
        """Whether nothing that was compared is wrong."""
        return False not in (self.calls, self.text, self.reasoning)


def judge(case: Case, outcome: dict[str, Any]) -> Verdict:
    """Compare what a program found with what was recorded."""
    text = outcome["with_calls" if case.keeps_calls else "text"]
    if case.keeps_calls and "incomplete" in outcome["rejections"]:
        text += outcome["last_frame"]
    looks_for_calls = case.calls is not None and not case.keeps_calls
    return Verdict(
        calls=outcome["calls"] == case.calls if looks_for_calls else None,
        text=None if case.text is None else same([text], case.text, case.unfinished),
        reasoning=None
        if case.reasoning is None
        else same(outcome["reasoning"], case.reasoning, case.unfinished),
    )


def recorded_by_vllm(cases: list[Case]) -> dict[str, Verdict]:
    """Compare what vLLM's parsers were recorded to give for the cases of other projects."""
    verdicts = {}
    for case in cases:
        if case.malformed or case.vllm is None:
            continue
        if isinstance(case.vllm, bool):
            # Where calls are expected, only its reasoning was compared.
            text = None if case.calls else case.vllm
            verdicts[case.id] = Verdict(calls=None, text=text, reasoning=case.vllm)
        elif "calls" in case.vllm:
            text = case.vllm["normal_text"] or ""
            found = {"calls": case.vllm["calls"], "text": text, "reasoning": []}
            verdicts[case.id] = judge(case, {**found, "rejections": []})
    return verdicts


def same(parts: list[str], recorded: str, unfinished: bool) -> bool:
    """Whether the recorded text consists of the parts; white space round a part does not count.

    A parser that waits for more holds back what may begin a marker.
    """
    rest = recorded.strip()
    for number, part in enumerate(parts, 1):
        part = part.strip()
        if rest.startswith(part):
            rest = rest[len(part) :].lstrip()
        elif unfinished and number == len(parts) and part.startswith(rest):
            return part[len(rest) :].lstrip()[:1] in ("<", "[", "]", "◁")
        else:
            return False
    return not rest
