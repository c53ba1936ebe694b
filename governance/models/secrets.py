"""What the database knows of the secrets that all nodes share: enough to tell them from others, and no more."""

from django.db import models


class SharedSecret(models.Model):
    """One secret that every node of this database must have, which only `make up` and commands of the owner compare."""

    name = models.TextField(primary_key=True)
    # from which the secret cannot be computed: a salted hash, or the hash of a public key
    fingerprint = models.TextField()
    # the node that noted it, where the operator finds the secret: `host:SUTURE_HOME`
    origin = models.TextField()
    noted_at = models.DateTimeField()

    class Meta:
        db_table = "governance_sharedsecret"

    def __str__(self) -> str:
        return self.name
