"""The figures of a run: a report for the terminal, and the page docs/conformance.md."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import damage
import tomllib
from cases import HERE, Case
from judge import Verdict

LOCK = HERE.parent.parent / "bench/peers/Cargo.lock"
PARTS = ("calls", "text", "reasoning", "whole")
#: The groups of cases, in the order of the page.
CALLS, MESSAGES, DISPUTED = (
    "Calls and text",
    "Messages",
    "Messages on which projects differ",
)

#: The row of the messages without the recordings that are themselves wrong.
SOUND = "Messages, without wrong recordings"

#: The peers that are compared family by family.
BY_FAMILY = ("dynamo-parsers-v2", "vllm")

#: The reason in disputed.json of which the page says more.
DROPPED = "the recording drops the text behind the last call"


def group_of(case: Case) -> str:
    """Tell to which group a case belongs."""
    if case.reasoning is None:
        return CALLS
    return DISPUTED if case.disputed else MESSAGES


@dataclass
class Count:
    """How many of how many cases are right, for each part."""

    cases: int = 0
    right: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count a case."""
        self.cases += 1
        for part in PARTS:
            right = getattr(verdict, part)
            if right is not None:
                self.judged[part] += 1
                self.right[part] += right

    def cells(self) -> list[str]:
        """Write the figures of each part."""
        return [
            f"{self.right[part]} of {self.judged[part]}" if self.judged[part] else ""
            for part in PARTS
        ]

    def shares(self) -> list[str]:
        """Write the figures of each part in percent."""
        return [
            f"{self.right[part] / self.judged[part]:.1%}" if self.judged[part] else ""
            for part in PARTS
        ]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


class Results:
    """What was read of all cases, and how much of it is right."""

    def __init__(
        self, cases: list[Case], outcomes: list[dict[str, Any]], verdicts: list[Verdict]
    ) -> None:
        """Keep the verdicts of the well-formed cases."""
        self.cases = {case.id: case for case in cases if not case.malformed}
        pairs = zip(cases, verdicts, strict=True)
        self.ours = {case.id: verdict for case, verdict in pairs if not case.malformed}
        self.outcomes = {outcome["id"]: outcome for outcome in outcomes}
        self.malformed = [case for case in cases if case.malformed]
        self.peers: dict[str, dict[str, Verdict]] = {}
        reasons = json.loads((HERE / "disputed.json").read_text(encoding="utf-8"))
        self.reasons = {
            case.id: reason
            for case in cases
            for beginning, reason in reasons.items()
            if case.id.startswith(beginning)
        }

    def counts(self, group: str, verdicts: dict[str, Verdict]) -> Count:
        """Count the cases of a group."""
        count = Count()
        for id, verdict in verdicts.items():
            if group_of(self.cases[id]) == group:
                count.add(verdict)
        return count

    def families(self, group: str) -> list[list[str]]:
        """Count the cases of a group by family."""
        rows: dict[str, Count] = {}
        for id, verdict in self.ours.items():
            case = self.cases[id]
            if group_of(case) == group:
                rows.setdefault(case.family, Count()).add(verdict)
        return [[name, str(row.cases), *row.cells()] for name, row in sorted(rows.items())]

    def decided(self) -> list[list[str]]:
        """Count what became of the malformed cases by family."""
        rows: dict[str, Counter[str]] = {}
        for case in self.malformed:
            outcome = self.outcomes[case.id]
            word = "calls" if outcome["calls"] else "refused" if outcome["rejections"] else "text"
            rows.setdefault(case.family, Counter())[word] += 1
        words = ("calls", "refused", "text")
        return [[name, *(str(row[word]) for word in words)] for name, row in sorted(rows.items())]

    def misses(self, group: str) -> list[str]:
        """List the cases of a group that are wrong."""
        return [
            id
            for id, verdict in self.ours.items()
            if not verdict.whole and group_of(self.cases[id]) == group
        ]

    def good(self, least: float) -> bool:
        """Whether enough calls are right, recordings that are themselves wrong left out."""
        judged = [
            verdict.calls
            for id, verdict in self.ours.items()
            if verdict.calls is not None
            and group_of(self.cases[id]) == CALLS
            and (verdict.calls or id not in self.reasons)
        ]
        return sum(judged) >= least * len(judged)

    def report(self) -> list[str]:
        """Write the figures and the misses for the terminal."""
        lines = []
        for group in (CALLS, MESSAGES, DISPUTED):
            count = self.counts(group, self.ours)
            if not count.cases:
                continue
            lines += [f"{group}: cases; right: calls, text, reasoning, all three"]
            total = ["all", str(count.cases), *count.cells()]
            for name, *cells in [*self.families(group), total]:
                lines.append(
                    f"  {name:28} {cells[0]:>5}  " + " ".join(f"{c:>13}" for c in cells[1:])
                )
            if group != DISPUTED:
                lines += [line for id in self.misses(group) for line in self.miss(id)]
        return lines

    def miss(self, id: str) -> list[str]:
        """Write what differs in a case."""
        case, outcome, verdict = self.cases[id], self.outcomes[id], self.ours[id]
        reason = self.reasons.get(id)
        lines = [f"  {id}" + (f" ({reason})" if reason else "")]
        text = outcome["with_calls" if case.keeps_calls else "text"]
        for part, found in (
            ("calls", outcome["calls"]),
            ("text", text),
            ("reasoning", outcome["reasoning"]),
        ):
            if getattr(verdict, part) is False:
                lines.append(f"    {part}: {found!r}, recorded {getattr(case, part)!r}")
        return lines

    def page(self, differ: list[str], uneven: list[str]) -> str:
        """Write the page."""
        text = (HERE / "scoreboard.md").read_text(encoding="utf-8")
        head = ["", "cases", "calls", "text", "reasoning", "all"]
        groups = (CALLS, MESSAGES, DISPUTED)
        counts = {group: self.counts(group, self.ours) for group in groups}
        good = {id: verdict for id, verdict in self.ours.items() if id not in self.reasons}
        sound = self.counts(MESSAGES, good)
        fields = {
            "versions": self.versions(),
            "cases": str(len(self.cases) + len(self.malformed)),
            "malformed_cases": str(len(self.malformed)),
            "alike": "the same in all" if not differ else f"different in {len(differ)}",
            "even": "the same in all" if not uneven else f"different in {len(uneven)}",
            "ours": "\n".join(
                table(
                    head,
                    [[group, str(count.cases), *count.shares()] for group, count in counts.items()]
                    + [[SOUND, str(sound.cases), *sound.shares()]],
                )
            ),
            "peers": "\n".join(self.peer_table()),
            "peer_families": "\n".join(self.peer_families()),
            "calls": "\n".join(table(["family", *head[1:]], self.families(CALLS))),
            "messages": "\n".join(table(["family", *head[1:]], self.families(MESSAGES))),
            "disputed": "\n".join(table(["family", *head[1:]], self.families(DISPUTED))),
            "malformed": "\n".join(table(["family", "calls", "refused", "text"], self.decided())),
            "damage": "\n".join(table(damage.HEAD, damage.rows())),
            "wrong": "\n".join(self.wrong()),
            **self.missed_texts(),
        }
        for name, value in fields.items():
            text = text.replace("{" + name + "}", value)
        return text

    def missed_texts(self) -> dict[str, str]:
        """Count the texts round calls that differ, and those that were recorded without an end."""
        missed = [id for id in self.misses(CALLS) if self.ours[id].text is False]
        dropped = sum(self.reasons.get(id) == DROPPED for id in missed)
        return {"text_misses": str(len(missed)), "dropped": str(dropped)}

    def versions(self) -> str:
        """Name the peers and their versions."""
        packages = tomllib.loads(LOCK.read_text(encoding="utf-8"))["package"]
        known = {package["name"]: package["version"] for package in packages}
        names = (
            "dynamo-parsers",
            "dynamo-parsers-v2",
            "reasoning-parser",
            "tool-parser",
        )
        return ", ".join(f"`{name}` {known[name]}" for name in names)

    def peer_table(self) -> list[str]:
        """Compare each peer with Toolwire over the cases that the peer has parsers for."""
        rows = []
        for group in (CALLS, MESSAGES, DISPUTED):
            for name, theirs in self.peers.items():
                ours = {id: self.ours[id] for id in theirs}
                count, own = self.counts(group, theirs), self.counts(group, ours)
                if not count.cases:
                    continue
                # The tool parser of this peer is a crate of its own.
                name = name.split(", ")[-1] if group == CALLS else name
                both = [
                    f"{a} / **{b}**" if a else ""
                    for a, b in zip(count.shares(), own.shares(), strict=True)
                ]
                rows.append([group, name, str(count.cases), *both])
        return table(["", "peer", "cases", "calls", "text", "reasoning", "all"], rows)

    def peer_families(self) -> list[str]:
        """Compare each peer of `BY_FAMILY` with Toolwire over the cases of each family."""
        rows = []
        for peer in BY_FAMILY:
            theirs = {
                id: verdict
                for id, verdict in self.peers.get(peer, {}).items()
                if id not in self.reasons
            }
            for family in sorted({self.cases[id].family for id in theirs}):
                known = {id: theirs[id] for id in theirs if self.cases[id].family == family}
                cells = []
                for disputed in (False, True):
                    ids = [id for id in known if self.cases[id].disputed == disputed]
                    right = [sum(of[id].whole for id in ids) for of in (known, self.ours)]
                    cells += [str(len(ids)), f"{right[0]} / **{right[1]}**"] if ids else ["", ""]
                rows.append([peer, family, *cells])
        return table(["peer", "family", "cases", "right", "projects differ", "right"], rows)

    def wrong(self) -> list[str]:
        """Count what is wrong by reason, and list what has none."""
        reasons: Counter[str] = Counter()
        rest = []
        for group in (CALLS, MESSAGES):
            for id in self.misses(group):
                if id in self.reasons:
                    reasons[self.reasons[id]] += 1
                else:
                    rest.append(id)
        rows = [[str(number), reason] for reason, number in sorted(reasons.items())]
        messages = self.counts(MESSAGES, self.ours)
        excused = sum(id in self.reasons for id in self.misses(MESSAGES))
        share = messages.right["whole"] / max(messages.cases - excused, 1)
        lines = [
            f"Of the messages, {excused} have a reason below; {share:.1%} of the others are right.",
            "",
            *table(["cases", "why"], rows),
        ]
        if rest:
            lines += ["", "Wrong without a reason that excuses it:", ""]
            lines += [f"- `{id}`" for id in rest]
        return lines
