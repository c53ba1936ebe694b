"""`suture flush`: deliver all captures in the spool."""

import sys

from suture_client.hooks import delivery, settings, spool


def flush() -> int:
    """Deliver the spool and print the result. Returns the exit code: 0 if nothing is left."""
    try:
        spool.sweep()
        found = delivery.deliver_waiting(settings.read())
        left, _ = spool.usage()
    except OSError as error:
        print(f"The spool cannot be read: {error}", file=sys.stderr)  # noqa: T201 - the output of a command
        return 1
    said = f"Delivered {_captures(found.delivered)}."
    if found.refused:
        said += f" The server refused {_captures(found.refused)}: `suture doctor` shows why."
    if left:
        said += f" {_captures(left)} still {'waits' if left == 1 else 'wait'}."
    print(said)  # noqa: T201 - the output of a command
    if found.problem:
        print(found.problem, file=sys.stderr)  # noqa: T201 - the output of a command
    return 1 if left or found.refused else 0


def _captures(count: int) -> str:
    return "1 capture" if count == 1 else f"{count:,} captures"
