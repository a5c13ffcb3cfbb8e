"""Runs the console: ``python -m toolwire``."""

from __future__ import annotations

import sys

from toolwire.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
