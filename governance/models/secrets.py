"""Fingerprints of the secrets that all nodes share, from which the secrets cannot be computed."""

from django.db import models


class SharedSecret(models.Model):
    """A secret that all nodes of this database must share; only `make up` and the owner's commands compare it."""

    name = models.TextField(primary_key=True)
    # a salted hash, or the hash of a public key
    fingerprint = models.TextField()
    # the node that stored it, where the operator finds the secret: `host:SUTURE_HOME`
    origin = models.TextField()
    noted_at = models.DateTimeField()

    class Meta:
        db_table = "governance_sharedsecret"

    def __str__(self) -> str:
        return self.name
