"""Copies of a prepared database, each for one tampering, to which the connections of this process go meanwhile."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count

from django.db import connections

from governance.acting import credentials

_numbers = count(1)


@contextmanager
def database_from(template: str) -> Iterator[str]:
    """The name of a new copy of the database `template`, which is dropped at the end of the block. Nobody may be
    connected to the template."""
    name = f"suture_tampered_{os.getpid()}_{next(_numbers)}"
    with connections["owner"]._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        # as tests.databases: PostgreSQL copies no rights on the database itself
        cursor.execute(f'REVOKE TEMP ON DATABASE "{name}" FROM PUBLIC')
    try:
        yield name
    finally:
        with connections["owner"]._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Within the block, every connection of this process goes to the database of this name; at its end, all are
    closed."""
    before = {alias: str(connections[alias].settings_dict["NAME"]) for alias in connections}
    _go_to(dict.fromkeys(before, name))
    try:
        yield
    finally:
        _go_to(before)


def _go_to(names: Mapping[str, str]) -> None:
    connections.close_all()
    credentials.close_connections()
    for alias, name in names.items():
        connections[alias].settings_dict["NAME"] = name
