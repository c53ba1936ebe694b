"""`python -m memory_project.web`: granian, with its arguments, after the application's modules and models are loaded.

granian forks its processes, so they share this memory, and a process that it starts later answers at once.
"""

import multiprocessing
import os

import django
from granian.cli import entrypoint


def main() -> None:
    """Load what all processes share, and run the server."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    django.setup()

    from memory_project import loading, urls  # noqa: F401 (the pages)
    from memory_project.web import mcp  # noqa: F401 (it takes long to import)

    loading.load_for_requests()
    loading.prepare_fork()
    multiprocessing.set_start_method("fork")
    entrypoint()  # type: ignore[no-untyped-call] # granian has no types here


if __name__ == "__main__":
    main()
