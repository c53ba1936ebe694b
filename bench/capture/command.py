"""The `suture` command as its user runs it, with a configuration and a state of its own."""

import os
import sys
from pathlib import Path

#: The path that `suture install-hooks` writes into the settings of a coding agent.
SUTURE = Path(sys.executable).with_name("suture")


def variables(port: int, key: str, state: Path) -> dict[str, str]:
    """The environment in which the command calls the server at `port`, and keeps what it has to in `state`."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("SUTURE_")}
    return {
        **own,
        "SUTURE_URL": f"http://127.0.0.1:{port}",
        "SUTURE_KEY": key,
        "SUTURE_STATE_DIR": str(state),
        "XDG_CONFIG_HOME": str(state / "config"),
    }
