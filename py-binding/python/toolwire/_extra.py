"""Optional packages: what is raised when one is missing.

>>> raise MissingExtraError("github", "httpx")
Traceback (most recent call last):
    ...
toolwire._extra.MissingExtraError: httpx is not installed: pip install 'toolwire[github]'
"""

from __future__ import annotations

__all__ = ["MissingExtraError"]


class MissingExtraError(ImportError):
    """Something needs a package that is missing; the message says how to install it.

    ``instead`` says what the program may do without the package.
    """

    def __init__(self, extra: str, package: str, instead: str = "") -> None:
        advice = f", or {instead}" if instead else ""
        super().__init__(
            f"{package} is not installed: pip install 'toolwire[{extra}]'{advice}", name=package
        )
