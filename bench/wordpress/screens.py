"""How long each screen and list of the plugin takes on a site with many calls and conversations.

usage: screens.py CALLS CONVERSATIONS, with the site of tests/wordpress/up.sh in the environment
"""

import os
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests/wordpress/http"))

from conftest import API, Site, Visitor  # noqa: E402 -- found by the line above

ROUNDS = 5
WAITING = 50


def begin(site: Site, editor: Visitor, admin: Visitor) -> None:
    """Leave calls of all kinds, some that wait, and a conversation."""
    site.reset(waiting_limit=WAITING)
    for number in range(5):
        post = site.a_post(f"Post {number}")
        editor.call("test_count", {"text": f"needle {number}"}, id=f"n{number}", reason="Asked.")
        editor.call("test_fail", {"text": "Failing."})
        editor.call("update_post", {"post_id": post, "title": "Renamed"})
        admin.decide(admin.waiting(), granted=number > 1, reason="Because.")
        admin.call("site_info")
    for number in range(WAITING):
        asked = editor.call("test_ask", {"text": f"waiting {number}"})
        assert asked.status_code == 202, asked.text
    answer = editor.api("POST", "/conversations", {"message": "Hello", "client_id": "one"})
    assert answer.status_code == 201, answer.text
    uuid = answer.json()["id"]
    stepped = editor.api("POST", f"/conversations/{uuid}/step")
    assert stepped.status_code == 200, stepped.text


def pages() -> list[tuple[str, str, str]]:
    """Name the screens and lists: what it is, who looks, its address."""
    log = "/wp-admin/admin.php?page=toolwire-log"
    week = date.today() - timedelta(days=7)
    return [
        ("approvals", "admin", "/wp-admin/admin.php?page=toolwire"),
        ("log", "admin", log),
        ("log, last page", "admin", log + "&paged=5000"),
        ("log, by tool and state", "admin", log + "&tool=test_count&state=completed"),
        ("log, words found often", "admin", log + "&s=needle"),
        ("log, words found nowhere", "admin", log + "&s=nowhere"),
        ("log, of a user in a week", "admin", log + f"&user=2&from={week}"),
        ("own calls", "editor", "/wp-admin/admin.php?page=toolwire-mine"),
        ("settings", "admin", "/wp-admin/admin.php?page=toolwire-settings"),
        ("dashboard", "admin", "/wp-admin/index.php"),
        ("GET /log", "admin", API + "/log"),
        ("GET /calls", "editor", API + "/calls"),
        ("GET /approvals", "admin", API + "/approvals"),
        ("GET /conversations", "editor", API + "/conversations"),
    ]


def took(visitor: Visitor, path: str) -> float:
    """Give the seconds until a page is there, the fastest connection kept."""
    headers = {"X-WP-Nonce": visitor.nonce} if path.startswith(API) else {}
    began = time.perf_counter()
    answer = visitor.get(path, headers=headers)
    seconds = time.perf_counter() - began
    assert answer.status_code == 200, (path, answer.text[:300])
    return seconds


def main() -> None:
    calls, conversations = sys.argv[1:3]
    site = Site()
    visitors = {name: Visitor(name) for name in ("admin", "editor")}
    begin(site, visitors["editor"], visitors["admin"])
    extension = f"extension={os.environ['TOOLWIRE_EXTENSION']}"
    fill = ["php", "-d", extension, str(HERE / "fill.php"), calls, conversations]
    subprocess.run(fill, check=True)
    there = site.php(
        "global $wpdb; return array_map(fn ($one) => $wpdb->get_var("
        '"SELECT COUNT(*) FROM {$wpdb->prefix}toolwire_$one"), ["calls", "conversations"]);'
    )
    print(f"{there[0]} calls, {there[1]} conversations; medians of {ROUNDS}, whole requests")
    print("| screen or list | ms |\n|---|---|")
    slowest = 0.0
    for name, who, path in pages():
        seconds = median(took(visitors[who], path) for _ in range(ROUNDS))
        slowest = max(slowest, seconds)
        print(f"| {name} | {seconds * 1000:.0f} |")
    print(f"slowest: {slowest * 1000:.0f} ms")


main()
