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


def unix_settings(*parts: str, windows: str) -> Callable[[], Path]:
    """Return a path below the directory for settings of applications on Linux, which the program also uses on macOS. On
    Windows, the folder `windows` stands for the first part."""

    def find() -> Path:
        if sys.platform == "win32":
            return settings(windows, *parts[1:])()
        return below("XDG_CONFIG_HOME", *parts, default=".config")()

    return find


def commented(name: str, folder: Callable[[], Path]) -> Callable[[], Path]:
    """Return the path of a JSON file: of the one that may have comments (.jsonc) if it exists."""

    def find() -> Path:
        plain = folder() / name
        with_comments = plain.with_suffix(".jsonc")
        return with_comments if with_comments.exists() else plain

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
