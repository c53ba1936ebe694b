"""Receipts: the last statements of each transaction that records sealed rows sign these rows.

A trigger of the sealed tables notes their new rows. `take` is called before each COMMIT
(governance/database/before_commit.py), and by requests and admin pages before they answer, so that they can still
report a failure. A row without a receipt is not sealed and raises an alarm (sealing.py). So a row that was inserted
past the server cannot become part of the ledger: the signing key is not in the database.
"""

import uuid
from collections.abc import Sequence
from itertools import chain, repeat

from django.db import connection
from psycopg.pq import TransactionStatus

from governance import models
from governance.acting import gate
from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.ledger import db, keyring, sealed_kinds
from governance.ledger.db import RecordedRows, StoredReceipt
from suture_verify.entries import HASH_SIZE
from suture_verify.receipts import Receipt, ReceiptRow, signed_text


def take(actor: Principal) -> Receipt | None:
    """Sign and store the rows that the open transaction has recorded in the actor's tenant since the last receipt; None
    if there are none. Raises SigningKeyMissing."""
    # after a failed statement nothing will be committed
    if connection.needs_rollback or connection.connection.info.transaction_status == TransactionStatus.INERROR:
        return None
    if gate.acting_in() != actor and not _has_recorded(actor.tenant_id):
        return None  # without opening a context, which may no longer be open to the actor
    gate.act_as(actor)
    connection.actors.pop(actor.tenant_id, None)  # type: ignore[attr-defined] # of our own backend
    kinds = sealed_kinds.kinds()
    found = db.recorded_rows(
        tenant=actor.tenant_id, kinds=[kind.name for kind in kinds], tables=[kind.table for kind in kinds]
    )
    return _sign(actor.tenant_id, found[0]) if found else None


def _has_recorded(tenant_id: uuid.UUID) -> bool:
    """Whether the open transaction has recorded anything in a tenant, even if no context is open there now."""
    noted = select(str, "SELECT coalesce(current_setting('suture.recorded', true), '')", [])
    return any(str(tenant_id) in one for one in noted)


def _sign(tenant_id: uuid.UUID, rows: RecordedRows) -> Receipt:
    key = keyring.signer_of(bytes(rows.public_key)) if rows.public_key else keyring.for_new_chain()
    id_, hashes = models.new_id(), bytes(rows.hashes)
    signature = key.sign(signed_text(tenant_id, id_, rows.moment, hashes))
    db.store_receipt(
        tenant=tenant_id,
        id=id_,
        at=rows.moment,
        kinds=rows.kinds,
        counts=rows.counts,
        row_ids=rows.row_ids,
        hashes=hashes,
        public_key=key.public,
        signature=signature,
    )
    covered = rows_of(rows.kinds, rows.counts, rows.row_ids, hashes)
    return Receipt(tenant_id, id_, rows.moment, covered, key.public, signature)


def rows_of(
    kinds: Sequence[str], counts: Sequence[int], row_ids: Sequence[uuid.UUID], hashes: bytes
) -> list[ReceiptRow]:
    """The rows of a receipt, from its columns. Raises ValueError if these have different lengths."""
    names = chain.from_iterable(repeat(kind, count) for kind, count in zip(kinds, counts, strict=True))
    digests = (hashes[at : at + HASH_SIZE] for at in range(0, len(hashes), HASH_SIZE))
    return [ReceiptRow(*one) for one in zip(names, row_ids, digests, strict=True)]


def read(tenant_id: uuid.UUID, row: StoredReceipt | models.Receipt) -> Receipt:
    """Parse a stored receipt. Raises ValueError if its columns are inconsistent."""
    covered = rows_of(row.kinds, row.counts, row.row_ids, bytes(row.hashes))
    return Receipt(tenant_id, row.id, row.at, covered, bytes(row.public_key), bytes(row.signature))
