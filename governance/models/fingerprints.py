"""Signed descriptions of the database's own guards, as a migration left them."""

from django.db import models


class SchemaFingerprint(models.Model):
    """A signed description of the catalog (governance/ledger/fingerprints.py). It is always verified: the ledgers of
    tenants have its hash."""

    digest = models.BinaryField(primary_key=True, max_length=32)
    # the exact bytes that were hashed and signed
    document = models.BinaryField()
    signature = models.BinaryField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        db_table = "governance_schemafingerprint"
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return bytes(self.digest).hex()
