"""`suture install-hooks` and `uninstall-hooks`: Suture's hooks in the settings of coding agents.

The commands may import more than the hook path does. docs/capture-agents.md names the sources of each format.
"""

from suture_client.installing.hooks.inspection import Installed, installed

__all__ = ["Installed", "installed"]
