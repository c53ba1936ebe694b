"""`suture install-hooks` and `uninstall-hooks`: Suture's hooks in the settings of coding agents.

These commands may import more than the hook path. docs/capture-agents.md names the sources of each format.
"""

from suture_client.installing.hooks.inspection import Installed, installed

__all__ = ["Installed", "installed"]
