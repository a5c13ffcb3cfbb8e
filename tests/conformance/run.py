"""Read recorded cases through Rust, PHP and Python, and count the right ones; see the README."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import scoreboard
from cases import HERE, Case, load
from judge import judge, recorded_by_vllm

ROOT = HERE.parent.parent
OWN = [ROOT / "tests/cases" / name for name in ("formats.json", "messages.json")]
LEAST = 0.98

Outcome = dict[str, Any]


def run(command: list[str], asked: list[dict[str, Any]]) -> list[Outcome]:
    """Have a program read the cases."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(asked, file)
        file.flush()
        done = subprocess.run([*command, file.name], check=True, capture_output=True, text=True)
    outcomes = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert [one["id"] for one in outcomes] == [case["id"] for case in asked]
    return outcomes


def read(command: list[str], cases: list[Case]) -> list[Outcome]:
    """Have Toolwire read the cases."""
    asked = [{"id": case.id, "options": case.options, "chunks": case.chunks} for case in cases]
    return run(command, asked)


def read_by_peer(program: Path, peer: str, cases: list[Case]) -> dict[str, Outcome]:
    """Have a peer read the cases for which it has parsers."""
    asked = []
    for case in cases:
        parsers = case.peers.get(peer, {})
        if not reads(parsers, case):
            continue
        opened = "".join(case.chunks).lstrip().startswith(case.opened or "\0")
        asked.append(
            {
                "id": case.id,
                "peer": peer,
                "parsers": parsers,
                # A text that opens its reasoning itself says where it begins.
                "begun": None if opened else case.begun,
                "chunks": case.chunks,
                "streamed": case.streamed,
                "tools": case.options.get("tools"),
                "keeps_calls": case.keeps_calls,
            }
        )
    return {one["id"]: one for one in run([str(program)], asked)}


def reads(parsers: dict[str, str], case: Case) -> bool:
    """Whether a peer's parsers give all that is compared in a case."""
    if case.malformed:
        return False
    if "unified" in parsers:
        return not case.keeps_calls
    needed = {"reasoning"} if case.reasoning is not None else set()
    needed |= set() if case.keeps_calls else {"calls"}
    return needed <= set(parsers)


def unequal(outcomes: dict[str, list[Outcome]]) -> list[str]:
    """List the cases in which the languages give different outcomes."""
    keys = ("calls", "text", "with_calls", "last_frame", "reasoning", "rejections")
    alike = zip(*outcomes.values(), strict=True)
    return [
        first["id"]
        for first, *others in alike
        if any(first[k] != one[k] for one in others for k in keys)
    ]


def main() -> int:
    """Run all three languages and the peers, and compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rust", required=True, help="the program conformance")
    parser.add_argument("--php", required=True, help="the command that runs PHP with the extension")
    parser.add_argument("--peers", type=Path, help="the program that runs the peers")
    parser.add_argument("--scoreboard", type=Path, help="the page to write")
    parser.add_argument("files", nargs="*", type=Path, help="files of recorded cases")
    options = parser.parse_args()
    cases = load(options.files or OWN)
    commands = {
        "Rust": [options.rust],
        "PHP": [*options.php.split(), str(HERE / "detect.php")],
        "Python": [sys.executable, str(HERE / "detect.py")],
    }
    outcomes = {language: read(command, cases) for language, command in commands.items()}
    found = outcomes["Rust"]
    verdicts = [judge(case, outcome) for case, outcome in zip(cases, found, strict=True)]
    results = scoreboard.Results(cases, found, verdicts)
    print("\n".join(results.report()))
    if options.peers:
        names = sorted({peer for case in cases for peer in case.peers})
        for name in names:
            theirs = read_by_peer(options.peers, name, cases)
            known = [case for case in cases if case.id in theirs]
            results.peers[name] = {case.id: judge(case, theirs[case.id]) for case in known}
        results.peers["vllm"] = recorded_by_vllm(cases)
    differ = unequal(outcomes)
    uneven = [one["id"] for one in found if not (one["splits"] and one["joined"])]
    if options.scoreboard:
        options.scoreboard.write_text(results.page(differ, uneven), encoding="utf-8")
        print(f"{options.scoreboard} is written")
    print(f"{len(cases)} cases; the languages differ in {len(differ)}: {differ}")
    print(f"cut differently, or with spans that do not join: {len(uneven)}: {uneven}")
    return 0 if results.good(LEAST) and not differ and not uneven else 1


if __name__ == "__main__":
    sys.exit(main())
