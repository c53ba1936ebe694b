"""Word frequencies of memory, for the weights of a question. Only the gate's role reads them: they contain words."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from governance.models import TenantModel


class Term(TenantModel):
    """A word of a tenant's memory, and at the last count (count_terms) the numbers of chunks with it in the channels
    private, public, team and agent."""

    term = models.TextField()
    dfs = ArrayField(models.IntegerField(), size=4, default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "term"], name="term_once")]

    def __str__(self) -> str:
        return f"term {self.id}"


class TermCount(TenantModel):
    """When a tenant's words were last counted, in how many chunks, up to which one."""

    chunks = models.BigIntegerField()
    chunks_of_channels = ArrayField(models.IntegerField(), default=list)  # in the order of Term.dfs
    newest = models.UUIDField(null=True)
    counted_at = models.DateTimeField(null=True)  # null since words were erased
    erasures = models.IntegerField(default=0)  # the number of erasures that deleted the statistics

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="term_count_once")]

    def __str__(self) -> str:
        return f"count of the words of {self.tenant_id}"
