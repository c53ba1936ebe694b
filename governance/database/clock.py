"""The database's clock: the one that all nodes share."""

from datetime import datetime

from django.db import connections


def database_now(using: str = "default") -> datetime:
    """The current time by the clock of the database of the connection `using`, regardless of this node's clock."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    moment: datetime = now
    return moment
