"""Optional packages: what is raised when one is missing.

>>> raise MissingExtraError("httpx")
Traceback (most recent call last):
    ...
toolwire._extra.MissingExtraError: httpx is not installed: pip install httpx
"""

from __future__ import annotations

__all__ = ["MissingExtraError"]


class MissingExtraError(ImportError):
    """Something needs a package that is missing; the message says how to install it.

    It names the package itself, not an extra of ``toolwire``: PyPI has no ``toolwire`` yet.
    ``instead`` says what the program may do without the package.
    """

    def __init__(self, package: str, instead: str = "") -> None:
        advice = f", or {instead}" if instead else ""
        message = f"{package} is not installed: pip install {package}{advice}"
        super().__init__(message, name=package)
