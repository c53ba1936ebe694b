"""Where programs keep their files, looked up when it is asked for; and where the command `suture` is."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path


def home(*parts: str) -> Callable[[], Path]:
    """Below the home directory."""
    return lambda: Path.home().joinpath(*parts)


def here(*parts: str) -> Callable[[], Path]:
    """Below the project, which is the current directory."""
    return lambda: Path.cwd().joinpath(*parts)


def settings(*parts: str) -> Callable[[], Path]:
    """Below the directory where applications of this system keep their settings."""

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
    """Below the directory that a variable of the client names."""
    return lambda: Path(os.environ.get(variable) or Path.home() / default).joinpath(*parts)


def suture() -> str | None:
    """The command `suture` of this installation, as an absolute path; else the one on the PATH, if there is one.

    Programs with windows do not know the PATH of a terminal.
    """
    beside = Path(sys.executable).with_name("suture.exe" if sys.platform == "win32" else "suture")
    return str(beside) if beside.exists() else shutil.which("suture")
