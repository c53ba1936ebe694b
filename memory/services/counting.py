"""The job that counts how common each word of memory is, for the weights of questions."""

import uuid

from governance.acting import gate
from governance.every_tenant import in_every_tenant
from memory import db


def count_terms() -> int:
    """Count the words of every tenant where it is due (memory/sql/functions/count_terms.sql); returns how many words
    were counted. A failure in one tenant does not stop the others; the first one is raised after all were tried."""
    counted, failures = in_every_tenant(_count, complaint="the words of %s could not be counted")
    if failures:
        raise failures[0]
    return counted


def _count(tenant_id: uuid.UUID) -> int:
    with gate.job(tenant_id, "words"):
        return db.count_terms(tenant=tenant_id)
