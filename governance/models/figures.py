"""Daily counts for charts, written by a job, so that pages need not count rows."""

from django.db import models

from governance.models.tenancy import TenantModel


class DayFigure(TenantModel):
    """A count for one day (UTC), such as `edits retract approved` or `chunks`."""

    day = models.DateField()
    name = models.TextField()
    value = models.BigIntegerField()

    class Meta:
        # the charts of the home page, newest days
        constraints = [models.UniqueConstraint(fields=["tenant", "day", "name"], name="day_figure_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.name}: {self.value}"
