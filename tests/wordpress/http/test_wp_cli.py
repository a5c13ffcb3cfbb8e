"""The commands in WP-CLI itself, where TOOLWIRE_WP_CLI names its program, such as wp-cli.phar.

Debian has no package of WP-CLI. tests/wordpress/phpunit/CliTest.php tests what the commands do.
"""

import csv
import io
import json
import os
import subprocess

import pytest
from conftest import Site, Visitor

PROGRAM = os.environ.get("TOOLWIRE_WP_CLI", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="TOOLWIRE_WP_CLI names no WP-CLI")
ATTACK = "\x1b[2J\x1b[31mred\r\n=1+1"


def wp(*words: str, typed: str = "", user: str = "admin") -> subprocess.CompletedProcess[str]:
    """Give a command as a user."""
    run = ["php", "-d", f"extension={os.environ['TOOLWIRE_EXTENSION']}"]
    run += [PROGRAM, "--allow-root", f"--path={os.environ['TOOLWIRE_SITE']}", "--no-color"]
    if user:
        run.append(f"--user={user}")
    return subprocess.run(
        [*run, "toolwire", *words], input=typed, capture_output=True, text=True, check=False
    )


def test_the_commands_are_there_and_need_a_user() -> None:
    told = wp("approvals", user="").stdout
    for name in ("list", "show", "approve", "deny"):
        assert f"wp toolwire approvals {name}" in told
    refused = wp("log", "list", user="")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "Say who you are: --user=NAME" in refused.stderr
    assert wp("log", "list", user="editor").returncode == 1
    assert wp("log", "list", "--format=xml").returncode == 1


def test_a_call_is_shown_asked_about_and_decided(site: Site, editor: Visitor) -> None:
    number = site.a_post("Before")
    editor.call("update_post", {"post_id": number, "title": "After"}, reason=ATTACK)
    (request,) = json.loads(wp("approvals", "list", "--format=json").stdout)
    assert request["reason"] == ATTACK, "JSON has texts as they are"
    for form in ("table", "csv", "yaml"):
        shown = wp("approvals", "list", f"--format={form}", "--fields=id,reason").stdout
        assert request["id"] in shown
        assert "\x1b" not in shown
    editor.call("test_echo", {ATTACK: ATTACK}, id="echo")
    echoed = wp("log", "list", "--tool=test_echo", "--format=ids").stdout.strip()
    for told in (
        wp("runs", "show", echoed, "--format=yaml"),
        wp("log", "list", "--tool=test_echo", "--field=arguments"),
    ):
        assert told.returncode == 0
        assert "\x1b" not in told.stdout
    (row,) = csv.DictReader(io.StringIO(wp("approvals", "list", "--format=csv").stdout))
    assert row["user"] == "editor"
    assert wp("approvals", "list", "--format=ids").stdout.strip() == request["id"]
    assert wp("approvals", "list", "--format=count").stdout.strip() == "1"
    asked = wp("approvals", "approve", request["id"], typed="n\n")
    assert (asked.returncode, "Approve this call? [y/n]" in asked.stdout) == (0, True)
    assert "\x1b" not in asked.stdout
    assert wp("approvals", "approve", request["id"]).returncode == 0, "no input is no yes"
    assert site.post(number)["post_title"] == "Before"
    assert "--yes needs --seen" in wp("approvals", "approve", request["id"], "--yes").stderr
    (shown,) = json.loads(wp("approvals", "show", request["id"], "--format=json").stdout)
    seen = f"--seen={shown['fingerprint']}"
    done = wp("approvals", "approve", request["id"], "--yes", seen, "--reason=Fine")
    assert (done.returncode, done.stdout) == (0, f"{request['id']}: completed\n")
    assert site.post(number)["post_title"] == "After"
    again = wp("approvals", "approve", request["id"], "--yes", seen)
    assert (again.returncode, again.stdout) == (1, "")
    undone = wp("undo", shown["call"], "nobody")
    assert (undone.returncode, undone.stdout) == (1, f"{shown['call']}: undone\n")
    assert site.post(number)["post_title"] == "Before"
    (call,) = json.loads(wp("log", "list", "--by=editor", "--format=json").stdout)
    assert call["state"] == "undone"
    assert json.loads(wp("log", "list", "--state=waiting", "--format=json").stdout) == []


def test_runs_are_listed_shown_and_continued(site: Site, editor: Visitor) -> None:
    editor.call("test_exit", {}, id="x")
    (run,) = json.loads(wp("runs", "list", "--format=json", "--fields=id,state").stdout)
    assert run["state"] == "interrupted"
    assert "state: interrupted" in wp("runs", "show", run["id"]).stdout
    site.php("update_option('test_stays', 1);")
    try:
        assert wp("runs", "continue", run["id"], typed="n\n").returncode == 0
        assert json.loads(wp("runs", "list", "--format=count").stdout) == 1
        done = wp("runs", "continue", run["id"], "--yes")
        assert (done.returncode, done.stdout) == (0, f"{run['id']}: completed\n")
    finally:
        site.php("delete_option('test_stays');")
