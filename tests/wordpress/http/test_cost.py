"""The cost of the plugin on a page without tool calls: requests with and without it, in turn."""

import re
from statistics import median

import pytest
from conftest import ROOT, Site, Visitor

ROUNDS = 40
PAGES = [
    ("a visitor", None, "/"),
    ("an editor", "editor", "/"),
    ("an administrator", "admin", "/wp-admin/index.php"),
]


def cost(visitor: Visitor, path: str, **query: str) -> tuple[int, float]:
    """Return the number of a page's queries, and its milliseconds of processor time."""
    page = visitor.get(path, params=query).text
    found = re.search(r"<!-- cost (\d+) ([\d.]+) ([01]) -->", page)
    assert found
    assert found.group(3) == ("0" if "without" in query else "1")
    return int(found.group(1)), float(found.group(2))


@pytest.mark.parametrize(("who", "name", "path"), PAGES)
def test_a_page_without_tool_calls_costs_one_query_at_most(
    site: Site, who: str, name: str | None, path: str
) -> None:
    visitor = Visitor(name)
    with_plugin, without = [], []
    for _ in range(ROUNDS):
        with_plugin.append(cost(visitor, path))
        without.append(cost(visitor, path, without="1"))
    queries = median(count for count, _ in with_plugin) - median(count for count, _ in without)
    times = [median(time for _, time in runs) for runs in (with_plugin, without)]
    spent = f"{times[0]:.2f} ms of the processor with the plugin, {times[1]:.2f} ms without"
    line = f"{path} for {who}: {spent}, {queries:+.0f} queries\n"
    with (ROOT / "cost.txt").open("a") as file:
        file.write(line)
    assert queries <= 1
