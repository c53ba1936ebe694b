"""The product inside the bench: its own services, on whichever generated database is measured."""

import os


def use_database(name: str) -> None:
    """Have every role's connection of this process go to the database `name`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    import django
    from django.apps import apps
    from django.db import connections

    if not apps.ready:
        django.setup()
    for alias in connections:
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def leave_database() -> None:
    """Close the connections, so that the database can be copied or dropped."""
    from django.db import connections

    connections.close_all()
