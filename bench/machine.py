"""The machine on which figures are taken, and what else it did meanwhile."""

import os
import platform
import resource
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic

# The part of the processors that other work may take.
QUIET = 0.05


def first_line(*command: str) -> str:
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout.splitlines()[0]


def machine() -> dict[str, str]:
    """Describe the machine."""
    cpu = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}",
        "rust": first_line("rustc", "--version"),
        "php": first_line("php", "--version"),
        "python": platform.python_version(),
    }


def processor_times() -> tuple[float, float]:
    """Give the seconds that all processors worked, and those that the host gave to others."""
    # user, nice, system, idle, iowait, irq, softirq, steal
    times = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    ticks = os.sysconf("SC_CLK_TCK")
    busy = sum(times[:3]) + sum(times[5:7])
    return busy / ticks, times[7] / ticks


def own_time() -> float:
    """Give the seconds that this process and its children that ended have worked."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@dataclass
class Watch:
    """What the machine does besides, from when the watch is made."""

    started: float = field(default_factory=monotonic)
    processors: tuple[float, float] = field(default_factory=processor_times)
    own: float = field(default_factory=own_time)
    load: float = field(default_factory=lambda: os.getloadavg()[0])

    def report(self) -> dict[str, str]:
        """Say how long it has been, and how much other work there was."""
        seconds = monotonic() - self.started
        (busy, stolen), own = processor_times(), own_time() - self.own
        room = seconds * (os.cpu_count() or 1)
        others = max(0.0, busy - self.processors[0] - own) / room
        taken = (stolen - self.processors[1]) / room
        warned = "BUSY, do not show these figures: " if others + taken > QUIET else ""
        return {
            "load": f"{self.load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end",
            "other work": f"{warned}{others:.0%} of the processors, and {taken:.0%} went to "
            "other machines",
            "took": f"{int(seconds) // 60} min {int(seconds) % 60} s",
        }
