"""Copies of a prepared database, each for one tampering, to which the connections of this process go meanwhile."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count

from django.db import connections

from governance.identity import credentials

_numbers = count(1)


@contextmanager
def database_from(template: str) -> Iterator[str]:
    """Within the block, every connection goes to a new copy of the database `template`; answers its name. Nobody may be
    connected to the template."""
    name = f"suture_tampered_{os.getpid()}_{next(_numbers)}"
    before = {alias: str(connections[alias].settings_dict["NAME"]) for alias in connections}
    with connections["owner"]._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        # as tests.databases: PostgreSQL copies no rights on the database itself
        cursor.execute(f'REVOKE TEMP ON DATABASE "{name}" FROM PUBLIC')
    try:
        use(dict.fromkeys(before, name))
        yield name
    finally:
        use(before)
        with connections["owner"]._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')


def use(names: Mapping[str, str]) -> None:
    """Let each connection go to the database that is named by its alias."""
    leave()
    for alias, name in names.items():
        connections[alias].settings_dict["NAME"] = name


def leave() -> None:
    """Close every connection to a database, so that it can be copied or dropped."""
    connections.close_all()
    credentials.close_connections()
