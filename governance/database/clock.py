"""The database's clock: the one that all nodes share."""

from datetime import datetime

from django.db import connections


def database_now(using: str = "default") -> datetime:
    """The time now by the clock of the database of the connection `using`, whatever this node's clock says."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    moment: datetime = now
    return moment
