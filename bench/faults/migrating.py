"""Migrating a populated database back to the state before its last migrations, and forth."""

import subprocess

from bench.faults.effects import NoEffect
from bench.stack import MANAGE, STACK, Stack
from memory_project.environment import BASE_DIR


def states_before() -> list[tuple[str, str]]:
    """For each app of ours, its last migration but one, or the only one."""
    found = []
    for app in ("governance", "memory", "capsules"):
        names = sorted(file.stem for file in (BASE_DIR / app / "migrations").glob("[0-9]*.py"))
        found.append((app, names[-2:][0]))
    return found


def back_and_forth(stack: Stack) -> None:
    """Migrate the database of a stack that is stopped. Raises RuntimeError, with what the command printed, and NoEffect
    where nothing was unapplied or applied."""
    back = "".join(_migrate(stack, app, name) for app, name in reversed(states_before()))
    # the way back may have taken the table of fingerprints away, which no migration signs again by itself
    forth = _migrate(stack, "--accept-schema")
    if "Unapplying " not in back or "Applying " not in forth:
        raise NoEffect(f"no migration was taken back and applied again: {back[-500:]}{forth[-500:]}")


def _migrate(stack: Stack, *arguments: str) -> str:
    done = subprocess.run(
        [*STACK, "run", "--", *MANAGE, "migrate", *arguments, "--no-input"],
        cwd=BASE_DIR,
        env=stack.environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"migrate {' '.join(arguments)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
