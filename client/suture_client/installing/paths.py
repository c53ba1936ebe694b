"""Paths of other programs' files, resolved on demand, and of the command `suture`."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path


def home(*parts: str) -> Callable[[], Path]:
    """Return a path below the home directory."""
    return lambda: Path.home().joinpath(*parts)


def here(*parts: str) -> Callable[[], Path]:
    """Return a path below the project, which is the current directory."""
    return lambda: Path.cwd().joinpath(*parts)


def settings(*parts: str) -> Callable[[], Path]:
    """Return a path below the system's directory for settings of applications."""

    def find() -> Path:
        if sys.platform == "darwin":
            base = Path.home() / "Library" / "Application Support"
        elif sys.platform == "win32":
            base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        else:
            base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return base.joinpath(*parts)

    return find


def below(variable: str, *parts: str, default: str) -> Callable[[], Path]:
    """Return a path below the directory in an environment variable of the program."""
    return lambda: Path(os.environ.get(variable) or Path.home() / default).joinpath(*parts)


def suture() -> str | None:
    """Return the absolute path of this installation's `suture`, else of the one on the PATH, else None.

    Graphical programs do not have the PATH of a terminal.
    """
    beside = Path(sys.executable).with_name("suture.exe" if sys.platform == "win32" else "suture")
    return str(beside) if beside.exists() else shutil.which("suture")
