"""`python -m memory_project.preparing`: run `migrate`, then `check_ledger`, in one process: each takes longer to import
Django and the apps than to do its work.

The exit code is 1 if `migrate` failed, and FOUND if the ledgers have problems, which are on the standard error.
"""

import os
import sys
import traceback

import django
from django.core.management import call_command
from django.core.management.base import CommandError

FOUND = 3


def main() -> int:
    """Migrate and check; returns the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    django.setup()
    try:
        call_command("migrate", interactive=False, no_color=True, skip_checks=False, stderr=sys.stdout)
    except CommandError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    sys.stdout.flush()
    try:
        call_command("check_ledger", no_color=True, stdout=sys.stderr)
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
        return FOUND
    except SystemExit:  # it has printed what it found
        return FOUND
    except Exception:  # a fault of the check does not prevent the start either
        traceback.print_exc()
        return FOUND
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
