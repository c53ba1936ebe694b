"""Wheels of the three packages, and empty environments to install them into."""

import json
import os
import shutil
import subprocess
import time
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build_wheel(folder: Path, into: Path) -> Path:
    """The wheel of the package in `folder`, built from a copy: a build writes into the folder that it builds."""
    source = into / f"source of {folder.name}"
    others = ("client", "clients", "verifier", "tests")
    ignored = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", *others)
    shutil.copytree(folder, source, ignore=ignored)
    wheels = into / f"wheel of {folder.name}"
    pip = ("python3", "-m", "pip", "--disable-pip-version-check")
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", str(wheels), str(source)], check=True)
    (wheel,) = wheels.iterdir()
    return wheel


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation added: distributions in lower case, bytes, and seconds that it took."""

    distributions: set[str]
    size: int
    seconds: float

    def __str__(self) -> str:
        return f"{len(self.distributions)} distributions, {self.size / 1e6:.1f} MB, {self.seconds:.1f} s"


class EmptyEnvironment:
    """A virtual environment that has pip alone."""

    def __init__(self, place: Path) -> None:
        self.place = place
        venv.create(place, with_pip=True)

    def install(self, wheels: Sequence[Path | str]) -> Installed:
        """Install wheels from files, and what they need from the package index."""
        before, size, began = self._distributions(), self._size(), time.monotonic()
        self.run("python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *map(str, wheels), check=True)
        seconds = time.monotonic() - began
        return Installed(self._distributions() - before, self._size() - size, seconds)

    def run(self, program: str, *words: str, check: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, which knows nothing of this one."""
        own = {"PATH": os.environ["PATH"], "HOME": str(self.place), **env}
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP"))}
        command = [str(self.place / "bin" / program), *words]
        return subprocess.run(
            command, check=check, input="{}", capture_output=True, text=True, env={**kept, **own}, cwd=self.place
        )

    def _distributions(self) -> set[str]:
        listed = self.run("python", "-m", "pip", "list", "--format", "json", "--disable-pip-version-check", check=True)
        return {one["name"].lower().replace("_", "-") for one in json.loads(listed.stdout)}

    def _size(self) -> int:
        return sum(path.stat().st_size for path in self.place.rglob("*") if path.is_file())
