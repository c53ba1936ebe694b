"""Counts per day, for charts: kept by a job, so that a page need not count what it shows."""

from django.db import models

from governance.models.tenancy import TenantModel


class DayFigure(TenantModel):
    """How many of something there were on one day (UTC): `edits retract approved`, `chunks`."""

    day = models.DateField()
    name = models.TextField()
    value = models.BigIntegerField()

    class Meta:
        # the charts of the home page, newest days
        constraints = [models.UniqueConstraint(fields=["tenant", "day", "name"], name="day_figure_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.name}: {self.value}"
