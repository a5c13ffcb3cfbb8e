"""Read recorded cases through Rust, PHP and Python, and count the right ones; see the README."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LEAST = 0.98
#: The name of a difference: only the text behind the last call is missing.
BEHIND = "text behind the calls"

Case = dict[str, Any]
Outcome = dict[str, Any]


def recorded(case: Case, names: dict[str, Any]) -> Case:
    """Add to a recorded case the formats with which it is read."""
    chunks = case.get("chunks") or [case.get("input", "")]
    formats = names.get(case["format"], "auto")
    return {**case, "formats": formats, "chunks": chunks, "tools": case.get("tools")}


def own(case: Case) -> Case | None:
    """Read one of the project's shared cases as a recorded one."""
    text, options, output = case["input"]["text"], case["input"]["options"], case.get("output")
    if not isinstance(text, str) or output is None or not {"formats", "tools"}.issuperset(options):
        return None
    formats = options["formats"]
    calls = [{"name": call["name"], "arguments": call["arguments"]} for call in output["calls"]]
    return {
        "id": case["name"],
        "format": formats if isinstance(formats, str) else "several",
        "formats": formats,
        "tools": options.get("tools"),
        "chunks": [text],
        "expected_calls": calls,
        "expected_normal_text": output.get("text"),
        "kind": "policy" if output.get("rejections") else "happy",
    }


def load(files: list[Path]) -> list[Case]:
    """Read the cases of all files."""
    names = json.loads((HERE / "formats.json").read_text(encoding="utf-8"))
    cases: list[Case] = []
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            cases += [recorded(case, names) for case in content["cases"]]
        else:
            cases += [case for case in map(own, content) if case]
    return cases


def run(command: list[str], cases: list[Case]) -> list[Outcome]:
    """Have a program read the cases."""
    asked = [{key: case[key] for key in ("id", "formats", "tools", "chunks")} for case in cases]
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(asked, file)
        file.flush()
        done = subprocess.run([*command, file.name], check=True, capture_output=True, text=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in outcomes] == [case["id"] for case in cases]
    return outcomes


def miss(case: Case, outcome: Outcome) -> tuple[bool, str]:
    """Say whether the calls are right, and what is wrong with them or with the text."""
    if outcome["calls"] != case["expected_calls"]:
        found, wanted = json.dumps(outcome["calls"]), json.dumps(case["expected_calls"])
        return False, f"calls {found}, recorded {wanted}"
    wanted = case["expected_normal_text"]
    if wanted is None or outcome["text"].strip() == wanted.strip():
        return True, ""
    if wanted.strip() and outcome["text"].strip().startswith(wanted.strip()):
        return True, BEHIND
    return True, f"text {outcome['text']!r}, recorded {wanted!r}"


def report(language: str, cases: list[Case], outcomes: list[Outcome]) -> bool:
    """Print one language's table; say whether enough of the undisputed cases are right."""
    disputed = json.loads((HERE / "disputed.json").read_text(encoding="utf-8"))
    rows: dict[str, Counter[str]] = {}
    misses = []
    for case, outcome in zip(cases, outcomes, strict=True):
        row = rows.setdefault(case["format"], Counter())
        if case["kind"] == "policy":
            decided = (
                "calls" if outcome["calls"] else "refused" if outcome["rejections"] else "text"
            )
            row[decided] += 1
            continue
        right, wrong = miss(case, outcome)
        reason = "" if right else disputed.get(case["id"], "")
        in_front = right and wrong in ("", BEHIND)
        row.update(
            happy=1,
            right=right,
            whole=right and not wrong,
            in_front=in_front,
            disputed=bool(reason),
        )
        if wrong:
            misses.append(f"  {case['id']}: {wrong}" + (f" ({reason})" if reason else ""))
    columns = "calls right  with text   text in front  malformed: calls, refused, text"
    print(f"\n{language}: {'format':28} {columns}")
    total: Counter[str] = sum(rows.values(), Counter())
    for name, row in [*sorted(rows.items()), ("all", total)]:
        decided = f"{row['calls']:5} {row['refused']:5} {row['text']:5}"
        happy = f"/{row['happy']:<4}"
        shares = f"{row['right']:4}{happy}  {row['whole']:4}{happy}   {row['in_front']:4}{happy}"
        print(f"  {name:34} {shares}     {decided}")
    print("\n".join(misses))
    judged = max(total["happy"] - total["disputed"], 1)
    calls, whole, in_front = (total[key] / judged for key in ("right", "whole", "in_front"))
    print(
        f"{language}: {total['disputed']} of {total['happy']} recordings are disputed; "
        "of the others\n"
        f"  {calls:.1%} have the calls as recorded, {whole:.1%} the text too,"
        f" {in_front:.1%} the text in front of the calls"
    )
    return total["right"] + total["disputed"] >= LEAST * total["happy"]


def main() -> int:
    """Run all three languages and compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rust", required=True, help="the program conformance")
    parser.add_argument("--php", required=True, help="the command that runs PHP with the extension")
    parser.add_argument("files", nargs="*", type=Path, help="files of recorded cases")
    options = parser.parse_args()
    cases = load(options.files or [ROOT / "tests/cases/formats.json"])
    commands = {
        "Rust": [options.rust],
        "PHP": [*options.php.split(), str(HERE / "detect.php")],
        "Python": [sys.executable, str(HERE / "detect.py")],
    }
    outcomes = {language: run(command, cases) for language, command in commands.items()}
    good = [report(language, cases, found) for language, found in outcomes.items()]
    differ = unequal(outcomes)
    uneven = [one["id"] for one in outcomes["Rust"] if not (one["splits"] and one["joined"])]
    print(f"\n{len(cases)} cases; the languages differ in {len(differ)}: {differ}")
    print(f"cut differently, or with spans that do not join: {len(uneven)}: {uneven}")
    return 0 if all(good) and not differ and not uneven else 1


def unequal(outcomes: dict[str, list[Outcome]]) -> list[str]:
    """List the cases in which the languages give different outcomes."""
    keys = ("calls", "text", "rejections")
    alike = zip(*outcomes.values(), strict=True)
    return [
        first["id"]
        for first, *others in alike
        if any(first[k] != one[k] for one in others for k in keys)
    ]


if __name__ == "__main__":
    sys.exit(main())
