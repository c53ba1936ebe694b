"""The ledger: one hash-linked chain per tenant (governance) and per agent (its own memory)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models.tenancy import AppendOnlyModel, SealedModel, TenantForeignKey, TenantModel

#: What the first entry of a chain links to.
GENESIS = bytes(32)


def genesis() -> bytes:
    return GENESIS


class Chain(TenantModel):
    """The head of a chain. Its row lock prevents forks."""

    name = models.TextField()
    seq = models.BigIntegerField(default=-1)
    head = models.BinaryField(max_length=32, default=genesis)
    ts = models.DateTimeField(default=timezone.now)
    # The current Ed25519 signing key, pinned by the first entry; a rotation changes it.
    public_key = models.BinaryField(max_length=32, null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="chain_name")]
        indexes = [models.Index(fields=["public_key"], name="chain_public_key")]  # pinned_keys() walks it

    def __str__(self) -> str:
        return self.name


class Entry(AppendOnlyModel):
    """One act. `canonical` has the exact bytes that were hashed and signed; they are verified, never re-serialised. The
    gate function `append_entries` reads the other columns from them."""

    chain = TenantForeignKey(Chain)
    seq = models.BigIntegerField()
    ts = models.DateTimeField()
    type = models.TextField()
    retention = models.TextField(default="committed")
    content_hash = models.BinaryField(max_length=32, null=True)
    metadata = models.JSONField(default=dict)
    prev_hash = models.BinaryField(max_length=32)
    canonical = models.BinaryField()
    hash = models.BinaryField(max_length=32)
    signature = models.BinaryField(max_length=64)

    class Meta(AppendOnlyModel.Meta):
        verbose_name_plural = "entries"
        indexes = [models.Index(fields=["tenant", "type", "-id"], name="entry_type")]  # the audit trail, by type
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chain", "seq"], name="entry_seq"),
            models.UniqueConstraint(fields=["tenant", "chain", "prev_hash"], name="entry_prev_hash"),
            models.CheckConstraint(
                condition=Q(retention__in=["committed", "relationship", "ephemeral"]),
                name="entry_retention_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class OwedEntry(TenantModel):
    """A change of roles, keys, accounts or policies whose entry must still be appended. The gate function that makes
    the change inserts the row, and `append_entries` deletes it. A transaction with such a row cannot commit, so no
    other transaction ever sees one."""

    type = models.TextField()
    # the ids and names that the entry's metadata must mention
    mentions = ArrayField(models.TextField())

    class Meta:
        verbose_name_plural = "owed entries"

    def __str__(self) -> str:
        return self.type


class MerkleTree(TenantModel):
    """The size and root of the tenant's tree over its sealed rows (RFC 6962). Written by gate functions."""

    size = models.BigIntegerField(default=0)
    root = models.BinaryField(max_length=32, null=True)  # NULL: nothing is sealed yet
    sealed_at = models.DateTimeField(null=True)
    # When nothing was left to seal.
    caught_up_at = models.DateTimeField(null=True)
    # When rows without a receipt were last looked for.
    swept_at = models.DateTimeField(null=True)
    # The last verification of the tenant's ledger, and its number of findings.
    verified_at = models.DateTimeField(null=True)
    findings = models.BigIntegerField(null=True)
    # Why sealing and publishing stopped, and since when; NULL: they work.
    alarm = models.TextField(null=True)
    alarm_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="merkle_tree_once")]

    def __str__(self) -> str:
        return f"{self.size} rows"


class Receipt(AppendOnlyModel):
    """The server's signed promise about the sealed rows that one transaction recorded (suture_verify/receipts.py):
    their ids and leaf hashes, kind by kind."""

    at = models.DateTimeField()
    # the kinds in the order of the rows, and the number of rows of each
    kinds = ArrayField(models.TextField())
    counts = ArrayField(models.IntegerField())
    row_ids = ArrayField(models.UUIDField())
    # 32 bytes per row, concatenated
    hashes = models.BinaryField()
    public_key = models.BinaryField(max_length=32)
    signature = models.BinaryField(max_length=64)

    def __str__(self) -> str:
        return f"{len(self.row_ids)} rows"


class UnsealedReceipt(TenantModel):
    """A receipt for the next seal, which deletes this row; the id is the receipt's."""

    def __str__(self) -> str:
        return str(self.id)


class Leaf(AppendOnlyModel):
    """One sealed row: its place in the tenant's tree and its leaf hash, SHA-256 over 0x00 and the row's columns."""

    id = None  # type: ignore[assignment] # its place is its key
    position = models.BigIntegerField(primary_key=True)
    kind = models.TextField()
    row_id = models.UUIDField()
    hash = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        verbose_name_plural = "leaves"
        # the place of a row; which rows are sealed
        constraints = [models.UniqueConstraint(fields=["tenant", "row_id", "kind"], name="leaf_of_row")]

    def __str__(self) -> str:
        return f"{self.position} {self.kind}"


class TreeNode(AppendOnlyModel):
    """The root of a complete subtree of 256, 65,536, ... leaves (level 8, 16, ...), stored to speed up proofs."""

    level = models.SmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "level", "index"], name="tree_node_once")]

    def __str__(self) -> str:
        return f"{self.level}/{self.index}"


class AccessRecord(SealedModel):
    """An allowed or refused read of handed-over memory, an export or removed texts. It has ids, but no text."""

    class Outcome(models.TextChoices):
        ALLOWED = "allowed"
        REFUSED = "refused"

    at = models.DateTimeField(default=timezone.now)
    actor_kind = models.TextField()
    actor_id = models.UUIDField()
    actor = models.TextField()  # the name at that time
    action = models.TextField()
    target_type = models.TextField()
    target_id = models.UUIDField(null=True)
    outcome = models.TextField(choices=Outcome.choices, default=Outcome.ALLOWED)
    details = models.JSONField(default=dict)

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(fields=["tenant", "-at", "-id"], name="access_newest"),
            # accesses to one record
            models.Index(fields=["tenant", "target_id", "-at"], name="access_target"),
            models.Index(fields=["tenant", "actor_id", "-at"], name="access_actor"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=["allowed", "refused"]), name="access_outcome_known"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target_type}"
