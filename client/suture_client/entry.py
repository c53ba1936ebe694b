"""The `suture` command. What a coding agent calls at every step starts without the libraries of the other commands."""

import os
import sys
import time

#: Of the hook path: the words of each command, and the event of a payload that names none.
HOOKS = {
    ("hook",): "",
    ("session", "start"): "SessionStart",
    ("session", "end"): "SessionEnd",
    ("inject-context",): "UserPromptSubmit",
    ("capture-memory", "--source", "hook"): "tool",
    ("capture-memory", "--source", "response"): "Stop",
}


def main() -> int:
    """Run a command. Answers the exit code; that of a hook is always 0, since agents stop at others."""
    words = sys.argv[1:]
    if not {"--help", "-h"} & set(words):
        if words == ["flush"]:
            from suture_client.hooks.flush import flush

            return flush()
        if words[:1] and words[0] in {"hook", "session", "inject-context", "capture-memory"}:
            try:
                run_hook(words)
            except BaseException as error:
                print(f"suture: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201 - the output of a command
            # What waits for nothing else ends at once: the interpreter would take some milliseconds to clean up.
            os._exit(0)
    from suture_client.cli import app

    app(prog_name="suture")
    return 0


def run_hook(words: list[str]) -> None:
    """Run the hook that the words of its command ask for. Prints nothing but context, and does not raise."""
    from suture_client.hooks import clock, journal, watchdog

    began = clock.process_started()
    watchdog.end_at(time.monotonic() + clock.UNSPOOLED)
    agent, command = _agent_of(words)
    if command not in HOOKS:
        wrong = f"There is no hook {' '.join(command)!r}: see `suture {command[0]} --help`."
        journal.log(journal.ERROR, wrong)
        print(wrong, file=sys.stderr)  # noqa: T201 - the output of a command
        return
    from suture_client.hooks import runner

    runner.run(agent, HOOKS[command], began)


def _agent_of(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """The value of --agent, and the other words. `--option=value` is two words."""
    rest = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    agent = "claude-code"
    while "--agent" in rest:
        place = rest.index("--agent")
        agent = rest[place + 1] if place + 1 < len(rest) else ""
        del rest[place : place + 2]
    return agent, tuple(rest)


if __name__ == "__main__":
    sys.exit(main())
