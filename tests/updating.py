"""How many updates of a table write to its indexes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connections


@dataclass(slots=True)
class Updates:
    """Updates of rows, and those of them that changed an indexed column, as far as that shows: an update that finds no
    room in its page writes to every index, whatever it changes. Other tests decide how full a page is."""

    rows: int = 0
    of_indexed_columns: int = 0


@contextmanager
def updates_of(table: str, using: str = "default") -> Iterator[Updates]:
    """The updates of the block, which are known when it has ended; in an open transaction."""
    found = Updates()
    rows, in_place, moved = _counted(table, using)
    yield found
    rows_now, in_place_now, moved_now = _counted(table, using)
    found.rows = rows_now - rows
    found.of_indexed_columns = found.rows - (in_place_now - in_place) - (moved_now - moved)


def _counted(table: str, using: str) -> tuple[int, int, int]:
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT n_tup_upd, n_tup_hot_upd, n_tup_newpage_upd FROM pg_stat_xact_user_tables WHERE relname = %s",
            [table],
        )
        row: tuple[int, int, int] = cursor.fetchone()
        return row
