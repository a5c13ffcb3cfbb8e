"""``toolwire detect --column``: the calls in a column of many files."""

from __future__ import annotations

import argparse
from typing import Any

import toolwire
from toolwire.cli.column_files import Batch, find_files, read, total_size
from toolwire.cli.column_output import Output, Totals, chosen
from toolwire.cli.interrupt import interruptible
from toolwire.cli.out_file import check_form, pyarrow
from toolwire.cli.progress import bar
from toolwire.cli.terminal import (
    DONE,
    INTERRUPTED,
    REFUSED,
    FailedError,
    complain,
    written,
)

# What is counted, whether it is written or not.
COUNTED = ("calls", "rejections")


def check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    out = arguments.out
    if out is not None:
        check_form(out)
    if arguments.drop and out is None:
        raise FailedError("--drop needs --out")


def run_columns(arguments: argparse.Namespace, detector: toolwire.Detector) -> int:
    """Find the calls in a column of files."""
    check(arguments)
    pa = pyarrow()
    fields, jobs = arguments.fields, arguments.jobs or 1
    wanted = None if fields is None else [*COUNTED, *fields]
    try:
        empty = pa.array(detector.detect_batch([], fields=wanted))
        # Wrong names are told before a file is read.
        detector.detect_batch([], fields=fields)
    except toolwire.ToolwireError as error:
        raise FailedError(str(error)) from None
    if fields is not None:
        fields = [name for name in empty.type.names if name in fields]
    files = find_files(arguments.files or ["-"], arguments.out)
    output = None if arguments.out is None else Output(arguments.out, arguments.drop or [], pa)
    totals = Totals()
    with interruptible() as interrupt, bar(total_size(files), least=0) as show:
        keep = output is not None and output.wants_lines
        batches = (
            batch for name in files for batch in read(name, arguments.column, jobs, keep, pa)
        )
        try:
            for batch in interrupt.until(batches):
                found = detected(detector, batch, wanted, jobs, pa)
                if output is not None:
                    output.write(batch, chosen(found, fields, pa))
                totals.add(batch, found, pa)
                show(batch.done)
        except BaseException:
            if output is not None:
                output.file.give_up()
            raise
        if output is not None:
            output.file.finish()
    return report(arguments, totals, interrupt.happened)


def detected(detector: toolwire.Detector, batch: Batch, wanted: Any, jobs: int, pa: Any) -> Any:
    """Find the calls of a batch, as one array."""
    try:
        return pa.array(detector.detect_batch(batch.texts, threads=jobs, fields=wanted))
    except toolwire.ToolwireError as error:
        raise FailedError(f"{batch.file}: {error}") from None


def report(arguments: argparse.Namespace, totals: Totals, interrupted: bool) -> int:
    """Print the totals, and give the exit status."""
    print(written(totals.to_dict()) if arguments.json else "\n".join(totals.lines()))
    if arguments.out is not None and not totals.rows:
        complain(f"there are no rows: {arguments.out} is not written")
    if interrupted:
        where = "counted" if arguments.out is None else f"in {arguments.out}"
        complain(f"interrupted: {totals.rows:,} rows are {where}")
        return INTERRUPTED
    if totals.rows and totals.without_text == totals.rows:
        raise FailedError(f"no row has a text in {arguments.column}: is that the name?")
    return REFUSED if arguments.fail_on_rejection and totals.rejections else DONE
