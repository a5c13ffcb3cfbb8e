"""The filters of the log: each is a value, has a form, and finds what it names."""

import pytest
from conftest import API, Site, Visitor


@pytest.mark.parametrize(
    "query",
    [
        {"tool": "' OR 1=1 -- "},
        {"tool": "test_count\\"},
        {"search": "%"},
        {"search": "' UNION SELECT user_pass FROM wp_users -- "},
        {"search": "_"},
        {"from": "2099-01-01"},
        {"to": "2001-01-01"},
        {"user": 99},
        {"state": "denied"},
    ],
)
def test_filters_are_values(
    site: Site, editor: Visitor, admin: Visitor, query: dict[str, str]
) -> None:
    editor.call("test_count", {"text": "x"}, id="a")
    answer = admin.get(API + "/log", params=query, headers={"X-WP-Nonce": admin.nonce})
    assert (answer.status_code, answer.json(), answer.headers["X-WP-Total"]) == (200, [], "0")


@pytest.mark.parametrize(
    "query",
    [{"from": "yesterday"}, {"state": "any"}, {"user": "x"}, {"per_page": "9999"}, {"page": "0"}],
)
def test_filters_have_a_form(admin: Visitor, query: dict[str, str]) -> None:
    answer = admin.get(API + "/log", params=query, headers={"X-WP-Nonce": admin.nonce})
    assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")


def test_filters_find(site: Site, editor: Visitor, admin: Visitor) -> None:
    for number in range(3):
        editor.call("test_count", {"text": f"needle {number}"})
    admin.call("site_info")

    def found(**query: object) -> list[str]:
        given = {key: str(value) for key, value in query.items()}
        answer = admin.get(API + "/log", params=given, headers={"X-WP-Nonce": admin.nonce})
        return [row["tool"] for row in answer.json()]

    assert found(tool="test_count") == ["test_count"] * 3
    assert found(search="needle 1") == ["test_count"]
    assert found(user=1) == ["site_info"]
    assert found(per_page=1, page=2) == ["test_count"]
    assert len(found(state="completed")) == 4
