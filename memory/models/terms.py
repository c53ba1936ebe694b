"""Word frequencies of memory, for the weights of a question. Only the gate's role reads them: they contain words."""

from django.db import models

from governance.models import TenantModel


class Term(TenantModel):
    """A word of a tenant's memory, and the number of chunks with it at the last count (count_terms)."""

    term = models.TextField()
    df = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "term"], name="term_once")]

    def __str__(self) -> str:
        return f"term {self.id}"


class TermCount(TenantModel):
    """When a tenant's words were last counted, in how many chunks, up to which one."""

    chunks = models.BigIntegerField()
    newest = models.UUIDField(null=True)
    counted_at = models.DateTimeField(null=True)  # null since words were erased
    erasures = models.IntegerField(default=0)  # the number of erasures that deleted the statistics

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="term_count_once")]

    def __str__(self) -> str:
        return f"count of the words of {self.tenant_id}"
