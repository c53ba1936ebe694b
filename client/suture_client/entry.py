"""The `suture` command. Hooks start without importing the libraries of the other commands."""

import os
import sys
import time

#: The words of each hook command, and the event if the payload names none.
HOOKS = {
    ("hook",): "",
    ("session", "start"): "SessionStart",
    ("session", "end"): "SessionEnd",
    ("inject-context",): "UserPromptSubmit",
    ("capture-memory", "--source", "hook"): "tool",
    ("capture-memory", "--source", "response"): "Stop",
}


def main() -> int:
    """Run a command and return the exit code. It is always 0 for hooks, because other codes stop agents."""
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
            # Skip the interpreter's cleanup, which takes some milliseconds.
            os._exit(0)
    from suture_client.cli import app

    app(prog_name="suture")
    return 0


def run_hook(words: list[str]) -> None:
    """Run the hook for the command's words. Prints only context, and does not raise."""
    from suture_client.hooks import clock, journal, watchdog

    began = clock.process_started()
    watchdog.end_at(time.monotonic() + clock.UNSPOOLED)
    agent, command = _agent_of(words)
    if command not in HOOKS:
        wrong = f"Unknown hook {' '.join(command)!r}: see `suture {command[0]} --help`."
        journal.log(journal.ERROR, wrong)
        print(wrong, file=sys.stderr)  # noqa: T201 - the output of a command
        return
    from suture_client.hooks import runner

    runner.run(agent, HOOKS[command], began)


def _agent_of(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """Split the words into the value of --agent and the other words. `--option=value` counts as two words."""
    rest = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    agent = "claude-code"
    while "--agent" in rest:
        place = rest.index("--agent")
        agent = rest[place + 1] if place + 1 < len(rest) else ""
        del rest[place : place + 2]
    return agent, tuple(rest)


if __name__ == "__main__":
    sys.exit(main())
