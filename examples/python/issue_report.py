"""Sums up the results of issue tools for a prompt, and writes the report.

.venv/bin/python examples/python/issue_report.py examples/data/results.json build/report.json
"""

import json
import sys
from pathlib import Path

import toolwire


def main(results_file: Path, report_file: Path) -> None:
    """Read the results, print the summary, write the report."""
    results = [toolwire.ToolResult(**result) for result in json.loads(results_file.read_text())]
    print(toolwire.results_summary(results))

    report = toolwire.Report(results)
    report_file.parent.mkdir(parents=True, exist_ok=True)
    report_file.write_text(report.to_json())
    print(
        f"{report.succeeded} of {report.total} tools succeeded; "
        f"mean confidence {report.mean_confidence:.2f}"
    )
    print(f"the report is in {report_file}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
