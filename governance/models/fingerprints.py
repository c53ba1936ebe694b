"""What the database's own guards have to be, as a migration left them and the server signed it."""

from django.db import models


class SchemaFingerprint(models.Model):
    """One signed description of the catalog (governance/ledger/fingerprints.py). Verified, never believed: the ledgers
    of tenants have its hash."""

    digest = models.BinaryField(primary_key=True, max_length=32)
    # exactly the bytes that were hashed and signed
    document = models.BinaryField()
    signature = models.BinaryField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        db_table = "governance_schemafingerprint"
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return bytes(self.digest).hex()
