"""WordPress' tools for personal data, from the request to the file and to the erasure."""

import base64
import html
import io
import json
import re
import zipfile

import pytest
from conftest import Site, Visitor

EXPORT, ERASE = "export", "erase"
SCREENS = {EXPORT: "/wp-admin/export-personal-data.php", ERASE: "/wp-admin/erase-personal-data.php"}
MARK = "words-of-the-editor"
DUMP = (
    "global $wpdb; $all = ''; foreach (['store', 'calls'] as $table) {"
    '    $all .= serialize($wpdb->get_results("SELECT * FROM {$wpdb->prefix}toolwire_$table"));'
    "} return base64_encode($all);"
)


def ask(admin: Visitor, kind: str, email: str) -> tuple[str, str]:
    """Add a request on WordPress' screen, without a mail; give its id and its nonce."""
    page = admin.get(SCREENS[kind]).text
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', page)
    assert nonce
    form = {
        "action": "add_export_personal_data_request"
        if kind == EXPORT
        else "add_remove_personal_data_request",
        "type_of_action": f"{'export' if kind == EXPORT else 'remove'}_personal_data",
        "username_or_email_for_privacy_request": email,
        "_wpnonce": nonce.group(1),
    }
    answer = admin.post(SCREENS[kind], data=form, follow_redirects=True)
    assert answer.status_code == 200
    page = admin.get(SCREENS[kind]).text
    found = re.search(r'data-request-id="(\d+)" data-nonce="(\w+)"', page)
    assert found, "no request is listed"
    return found.group(1), found.group(2)


def answers(admin: Visitor, kind: str, email: str, name: str) -> list[dict[str, object]]:
    """Run all exporters or erasers, as WordPress' script does; give the answers of one."""
    request, nonce = ask(admin, kind, email)
    listed = re.search(r'data-\w+ers-count="(\d+)"', admin.get(SCREENS[kind]).text)
    assert listed
    ours: list[dict[str, object]] = []
    last: dict[str, object] = {}
    for index in range(1, int(listed.group(1)) + 1):
        for page in range(1, 100):
            form = {
                "action": f"wp-privacy-{kind}-personal-data",
                "id": request,
                "page": str(page),
                "security": nonce,
                "exporter" if kind == EXPORT else "eraser": str(index),
                "sendAsEmail": "false",
            }
            answer = admin.post("/wp-admin/admin-ajax.php", data=form).json()
            assert answer["success"], answer
            last = answer["data"]
            if name in json.dumps(last):
                ours.append(last)
            if last["done"]:
                break
    return [*ours, last]


@pytest.fixture
def calls(site: Site, users: dict[str, Visitor]) -> dict[str, dict[str, str]]:
    """Make a call that waits and one that ran, both of the editor, and one of another user."""
    given = {"text": f"{MARK} <b>bold</b>"}
    return {
        "waits": users["editor"].call("test_ask", given, reason="Because.").json(),
        "ran": users["editor"].call("test_count", given).json(),
        "other": users["author"].call("test_count", {"text": "of the author"}).json(),
    }


def test_an_export_is_a_file_with_the_person_s_calls(
    site: Site, admin: Visitor, calls: dict[str, dict[str, str]]
) -> None:
    *_, last = answers(admin, EXPORT, "editor@example.test", "toolwire")
    file = admin.get(str(last["url"]))
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        page = archive.read("index.html").decode()
        data = archive.read("export.json").decode()
    shown = html.unescape(html.unescape(data)).replace("\\/", "/")
    assert html.escape(f"{MARK} <b>bold</b>").replace("&quot;", '"') in page.replace("&quot;", '"')
    assert f"{MARK} <b>bold</b>" in shown
    for told in ("test_ask", "test_count", "Because.", "AI tool calls"):
        assert told in page, told
    assert "of the author" not in page
    assert "of the author" not in shown


def test_an_erasure_cancels_what_waits_and_leaves_others_alone(
    site: Site, admin: Visitor, users: dict[str, Visitor], calls: dict[str, dict[str, str]]
) -> None:
    ran = site.counted()
    answers(admin, ERASE, "editor@example.test", "toolwire")
    assert admin.api("GET", "/approvals").json() == []
    assert users["editor"].api("GET", f"/calls/{calls['waits']['id']}").status_code == 404
    (left,) = admin.api("GET", "/log").json()
    assert left["id"] == calls["other"]["id"]
    assert site.counted() == ran, "nothing has run"
    dump = base64.b64decode(site.php(DUMP)).decode(errors="replace")
    assert "of the author" in dump
    assert MARK not in dump
    assert "status-request-completed" in admin.get(SCREENS[ERASE]).text


def test_a_text_for_the_privacy_policy_is_suggested(site: Site, admin: Visitor) -> None:
    site.reset(chat_days=7)
    page = admin.get("/wp-admin/options-privacy.php?tab=policyguide").text
    assert "Toolwire sends it to the model that you connect." in page
    assert "kept until nothing was added for 7 days." in page
    assert "we record each action that it takes for you" in page
    assert "The record is removed after 30 days." in page
