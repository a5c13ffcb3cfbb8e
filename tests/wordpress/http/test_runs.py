"""The shared scripts of runs, played through REST as a site's user and the person who decides.

Each step is the request that such a person sends. After each step the state, the code, the output,
the number of times that the handler ran, and the events must be those of `tests/cases/runs.json`,
which Rust, Python and PHP play too. A new script fails here until it can be played or is named in
`NOT_PLAYED`.
"""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import ROOT, Site, Visitor

FOLDER = ROOT / "runs"
CASES = Path(__file__).parents[2] / "cases" / "runs.json"
SCRIPTS = {case["name"]: case for case in json.loads(CASES.read_text())}
# The first look at a decision, or at a deadline that is over, goes on with the call. There is no
# request that only decides: the steps of these names are `resume` too.
GOES_ON = {"approve", "deny", "wait"}
# What is told then, where the script has no `resume`.
NOTED = {"deny": ["approval.decided"], "wait": ["tool.denied"]}
# A request to WordPress takes longer than a call of the library. So deadlines are this much later.
SLOWER = 20
CHANGED = "a site takes a yes or a no: its approvers cannot change the arguments of a call yet"
LEFT = (
    "a site keeps its runs in its own database; tests/wordpress/phpunit ends real processes in the "
    "handler"
)
NOT_PLAYED = {
    "a person approves other arguments than those of the call": CHANGED,
    "changed arguments that the schema refuses decide nothing": CHANGED,
    "changed arguments that the policy refuses decide nothing": CHANGED,
    "arguments that were proposed and refused by a denial do not run": CHANGED,
    "a forgotten call that waited is asked anew": (
        "a site forgets no call that waits: only the erasure of a person's data takes it away, and "
        "an erased call never runs again (test_privacy.py)"
    ),
    "a call whose process was killed in the handler is told once": LEFT,
    "who sends a call again whose process was killed tells it": LEFT,
    "who retries a call whose process was killed tells it": LEFT,
}
REFUSED = {
    "toolwire_already_ran": "already_ran",
    "toolwire_not_interrupted": "not_interrupted",
}


class World:
    """One call of the editor, on whom the administrator decides."""

    def __init__(self, site: Site, editor: Visitor, admin: Visitor) -> None:
        self.site, self.editor, self.admin = site, editor, admin
        self.id, self.ran = "", 0
        self.events: list[str] = []

    def begin(self, given: dict[str, Any]) -> None:
        """Have the site offer the tool of a case."""
        unknown = given.keys() - {"handler", "steps", "approval", "permission", "timeout_ms"}
        assert not unknown
        hours = given.get("timeout_ms", 60_000) * SLOWER / 3_600_000
        self.site.reset(approval_hours=hours)
        FOLDER.mkdir(exist_ok=True)
        for file in FOLDER.iterdir():
            file.unlink()
        (FOLDER / "case.json").write_text(json.dumps(given))

    def send(self, visitor: Visitor, method: str, path: str, body: object = None) -> httpx.Response:
        """Send a request, and keep what it did."""
        answer = visitor.api(method, path, body)
        self.ran = int(answer.headers["X-Test-Ran"])
        self.events += answer.headers["X-Test-Events"].split()
        return answer

    def step(self, step: str) -> dict[str, Any]:
        """Take a step, and tell how the run stands then."""
        self.events = []
        stands = self.take(step)
        return {**stands, "ran": self.ran, "events": self.events}

    def take(self, step: str) -> dict[str, Any]:
        """Take a step, and give the run or why the step was refused."""
        if step.startswith("start"):
            disks = {"start other": 8, "start written otherwise": 7.0}
            return self.start(disks.get(step, 7), again=step == "start again")
        if step in ("approve", "deny"):
            return self.decide(step == "approve")
        if step == "retry":
            return told(self.send(self.admin, "POST", f"/log/{self.id}/retry", {}))
        if step == "undo":
            undone = self.send(self.editor, "POST", f"/log/{self.id}/undo", {})
            if "tool.undone" not in self.events:
                assert undone.json()["code"] == "toolwire_nothing_to_undo"
        elif step == "wait":
            time.sleep(0.06 * SLOWER)
        elif step == "forget":
            self.forget()
        else:
            assert step in ("look", "resume"), f"no request is known for the step {step}"
        return told(self.send(self.editor, "GET", f"/calls/{self.id}"))

    def start(self, disk: float, again: bool) -> dict[str, Any]:
        """Send the call."""
        body: dict[str, Any] = {"name": "wipe", "arguments": {"disk": disk}, "id": "call_1"}
        body |= {"again": True} if again else {}
        answer = self.send(self.editor, "POST", "/calls", body)
        self.id = call_of(answer).get("id", self.id)
        return told(answer)

    def decide(self, granted: bool) -> dict[str, Any]:
        """Look at the one request that waits, and decide on what was shown."""
        (listed,) = self.send(self.admin, "GET", "/approvals").json()
        shown = self.send(self.admin, "GET", f"/approvals/{listed['id']}").json()
        assert (shown["call"]["id"], json.loads(shown["arguments"])) == (self.id, {"disk": 7})
        body = {"granted": granted, "seen": shown["fingerprint"]}
        return told(self.send(self.admin, "POST", f"/approvals/{listed['id']}", body))

    def forget(self) -> None:
        """Have the daily work remove the call, as if it was older than the log keeps calls."""
        self.site.php(
            "global $wpdb; $table = Toolwire\\WordPress\\plugin()->schema()->calls_table();"
            "$wpdb->query(\"UPDATE $table SET created_at = '2001-01-01 00:00:00'\");"
            "Toolwire\\WordPress\\plugin()->housekeeping()->run();"
        )


def call_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the call of an answer, also of one that is an error."""
    body = answer.json()
    return dict(body if "state" in body else (body.get("data") or {}).get("call") or {})


def told(answer: httpx.Response) -> dict[str, Any]:
    """Tell an answer in the words of the cases."""
    call, code = call_of(answer), answer.json().get("code")
    if not call and code in REFUSED:
        assert answer.status_code == 409
        return {"refused": REFUSED[code]}
    if not call and code == "toolwire_conflict":
        # This call has no row of its own, so the answer has the status alone.
        assert answer.status_code == 409
        return {"state": "denied", "code": "call_id_reused", "output": None}
    if not call:
        assert (answer.status_code, code) == (404, "toolwire_unknown_call"), answer.text
        return {"state": None}
    error = call["error"] or {}
    return {"state": call["state"], "code": error.get("code"), "output": call["result"]}


def as_the_site_has_it(steps: list[str], stands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let each decision and deadline go on with the call, as the script's next `resume` does."""
    stands = [dict(stand) for stand in stands]
    for at, step in enumerate(steps):
        if step not in GOES_ON:
            continue
        later = range(at + 1, len(steps))
        until = next((i for i in later if steps[i] == "resume" or stands[i]["events"]), None)
        if until is None or steps[until] != "resume":
            # In the script nobody takes note, or the call begins again before.
            stands[at]["events"] = NOTED[step]
            continue
        stands[at] = {**stands[until], "events": stands[until]["events"]}
        stands[until] = {**stands[until], "events": []}
        for between in range(at + 1, until):
            if "refused" in stands[between] or steps[between] == "start again":
                code = stands[between].get("refused", "already_ran")
                stands[between] = {"refused": code, "ran": stands[until]["ran"], "events": []}
            else:
                stands[between] = stands[until]
    return stands


@pytest.fixture
def world(users: dict[str, Visitor]) -> Iterator[World]:
    """Give a site whose tool is removed afterwards."""
    yield World(Site(), users["editor"], users["admin"])
    shutil.rmtree(FOLDER)


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in NOT_PLAYED])
def test_a_script_of_runs_goes_through_rest_as_everywhere(world: World, name: str) -> None:
    given, steps = SCRIPTS[name]["input"], list(SCRIPTS[name]["input"]["steps"])
    expected = as_the_site_has_it(steps, SCRIPTS[name]["output"]["stands"])
    world.begin(given)
    for number, step in enumerate(steps):
        assert (number, step, world.step(step)) == (number, step, expected[number])


def test_what_is_not_played_is_named_with_its_reason() -> None:
    assert len(SCRIPTS) > 10
    assert NOT_PLAYED.keys() <= SCRIPTS.keys(), "a script that is named is gone"
    for name, why in NOT_PLAYED.items():
        given = SCRIPTS[name]["input"]
        steps = {"approve changed", "approve bad"} if why == CHANGED else {"forget"}
        asked = "left" in given if why == LEFT else bool(steps & set(given["steps"]))
        assert asked, "it is named for a reason it has not"
