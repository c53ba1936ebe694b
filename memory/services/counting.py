"""The job that counts word frequencies in memory, for the weights of questions."""

import uuid

from governance.acting import gate
from governance.every_tenant import in_every_tenant
from memory import db


def count_terms() -> int:
    """Count the words of every tenant where it is due (memory/sql/functions/count_terms.sql); returns how many words
    were counted. A failure in one tenant does not stop the others; the first one is raised at the end."""
    counted, failures = in_every_tenant(_count, complaint="could not count the words of %s")
    if failures:
        raise failures[0]
    return counted


def _count(tenant_id: uuid.UUID) -> int:
    with gate.job(tenant_id, "words"):
        return db.count_terms(tenant=tenant_id)
