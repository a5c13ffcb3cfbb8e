"""A network of sites, each with its own calls, users and daily event; needs a multisite."""

import json
import os
import time

import pytest
from conftest import API, ROOT, Site, Visitor

SECOND = "/second"
ON_SECOND = "switch_to_blog((int) get_sites(['path' => '/second/', 'fields' => 'ids'])[0]);"


class Member(Visitor):
    """A visitor of the second site, perhaps logged in."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.nonce = self.get(f"{SECOND}/wp-admin/admin-ajax.php?action=rest-nonce").text

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, object]:
        """Send a request to a route of the second site; give the status and the answer."""
        answer = self.request(
            method,
            SECOND + API + path,
            headers={"X-WP-Nonce": self.nonce, "Content-Type": "application/json"},
            content=None if body is None else json.dumps(body),
        )
        return answer.status_code, answer.json()


@pytest.fixture
def second(site: Site) -> Site:
    """Give the network; the tables of the second site are empty too."""
    site.php(
        f"{ON_SECOND} Toolwire\\WordPress\\plugin()->schema()->install(); global $wpdb;"
        "foreach (['store', 'calls'] as $table) {"
        '    $wpdb->query("TRUNCATE {$wpdb->prefix}toolwire_$table");'
        "}"
        "$set = ['calls_per_minute' => 10000] + Toolwire\\WordPress\\Settings::DEFAULTS;"
        "update_option('toolwire_settings', $set);"
    )
    return site


def test_calls_and_approvals_of_one_site_are_not_seen_on_another(
    second: Site, users: dict[str, Visitor]
) -> None:
    users["editor"].call("test_ask", {"text": "of the first"})
    (waiting,) = users["admin"].api("GET", "/approvals").json()
    admin, editor = Member("admin"), Member("editor")
    assert admin.ask("GET", "/approvals") == (200, [])
    assert admin.ask("GET", "/log") == (200, [])
    decision = {"granted": True, "seen": users["admin"].look(waiting["id"])["fingerprint"]}
    assert admin.ask("POST", f"/approvals/{waiting['id']}", decision)[0] == 404
    status, call = editor.ask(
        "POST", "/calls", {"name": "test_ask", "arguments": {"text": "of the second"}}
    )
    assert (status, call["state"]) == (202, "waiting")  # type: ignore[index]
    assert len(users["admin"].api("GET", "/log").json()) == 1
    page = admin.get(f"{SECOND}/wp-admin/admin.php?page=toolwire").text
    assert "of the second" in page
    assert "of the first" not in page
    assert "of the second" not in users["admin"].get("/wp-admin/admin.php?page=toolwire").text


def test_the_administrator_of_a_site_decides_there_alone(
    second: Site, users: dict[str, Visitor]
) -> None:
    owner = Member("owner")
    assert owner.ask("GET", "/approvals") == (200, [])
    assert owner.get(f"{SECOND}/wp-admin/admin.php?page=toolwire-log").status_code == 200
    assert owner.get("/wp-admin/admin.php?page=toolwire-log").status_code == 403
    owner.nonce = owner.get("/wp-admin/admin-ajax.php?action=rest-nonce").text
    assert owner.api("GET", "/approvals").status_code == 403
    assert users["author"].get(f"{SECOND}/wp-admin/admin.php?page=toolwire").status_code == 403


def test_a_new_site_shows_its_screens_and_a_deleted_one_leaves_nothing(second: Site) -> None:
    number = second.php(
        "$site = ['domain' => DOMAIN_CURRENT_SITE, 'path' => '/third/', 'title' => 'New'];"
        "return wp_insert_site($site + ['user_id' => 1]);"
    )
    like = f"wp\\\\_{number}\\\\_toolwire%"
    tables = f"global $wpdb; return $wpdb->get_col(\"SHOW TABLES LIKE '{like}'\");"
    errors = ROOT / "debug.log"
    before = errors.stat().st_size
    try:
        admin = Visitor("admin")
        for screen in ("toolwire-log", "toolwire", "toolwire-settings"):
            assert admin.get(f"/third/wp-admin/admin.php?page={screen}").status_code == 200
        assert "database error" not in errors.read_text(errors="replace")[before:]
        assert len(second.php(tables)) == 3
    finally:
        second.php(
            "require_once ABSPATH . 'wp-admin/includes/ms.php';"
            f"wpmu_delete_blog({number}, true); return true;"
        )
    assert second.php(tables) == []


def test_each_site_s_cron_removes_its_own_old_rows(second: Site, users: dict[str, Visitor]) -> None:
    users["editor"].call("test_count", {"text": "first"})
    Member("editor").ask("POST", "/calls", {"name": "test_count", "arguments": {"text": "second"}})
    age = (
        "global $wpdb;"
        "$wpdb->query(\"UPDATE {$wpdb->prefix}toolwire_calls SET created_at = '2001-01-01'\");"
        "wp_clear_scheduled_hook('toolwire_daily');"
        "wp_schedule_event(time() - 60, 'daily', 'toolwire_daily');"
    )
    second.php(f"{age} {ON_SECOND} {age} return true;")
    count = (
        "global $wpdb;"
        'return (int) $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->prefix}toolwire_calls");'
    )
    Visitor().get(f"{SECOND}/wp-cron.php?doing_wp_cron")
    for _ in range(50):
        if second.php(ON_SECOND + count) == 0:
            break
        time.sleep(0.1)
    assert second.php(ON_SECOND + count) == 0
    assert second.php(count) == 1, "the first site's event has not come"


def test_one_site_alone_may_turn_the_plugin_on(second: Site) -> None:
    """The network turns it off everywhere; the second site turns it on for itself."""
    load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';"
    name = "'toolwire/toolwire.php'"
    member = Member("owner")
    try:
        second.php(f"{load} deactivate_plugins({name}, false, true); return true;")
        assert member.ask("GET", "/approvals")[0] == 404
        second.php(
            f"{load} {ON_SECOND} $failed = activate_plugin({name}); return is_wp_error($failed);"
        )
        assert member.ask("GET", "/approvals") == (200, [])
        assert Visitor("admin").get(f"{API}/approvals").status_code == 404
    finally:
        second.php(f"{load} {ON_SECOND} deactivate_plugins({name}); return true;")
        second.php(f"{load} return activate_plugin({name}, '', true);")
    assert os.environ["TOOLWIRE_URL"] in str(member.get(f"{SECOND}/").url)
