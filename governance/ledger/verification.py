"""Verify a tenant's ledger against the database without trusting it: rows are read by plain SELECTs (table_rows.py),
and hashed and compared here."""

import json
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

import orjson
import psycopg
from django.db import DatabaseError, transaction
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import system
from governance.ledger import (
    appending,
    comparisons,
    db,
    kept_notes,
    published_tree_heads,
    sealed_kinds,
    sealed_rows,
    table_rows,
    verified_until,
)
from governance.ledger.table_rows import RawReader
from governance.refusals import Unavailable
from suture_verify.cosignatures import Quorum
from suture_verify.entries import Entry
from suture_verify.findings import ROWS, Kind, Report
from suture_verify.leaves import Column, columns
from suture_verify.notes import SignedNote
from suture_verify.verified_until import VerifiedUntil
from suture_verify.verifier import Verifier

logger = logging.getLogger("suture.verification")

#: Rows read at a time.
PAGE = 5_000

#: Below any position of a leaf.
_LEAST = -(2**63)

#: The columns that are read from the ledger's tables, for RawReader.check().
TABLES: dict[str, Sequence[Column]] = {
    "governance_chain": columns("tenant_id:uuid id:uuid name seq:integer head:bytes"),
    "governance_entry": columns(
        "tenant_id:uuid id:uuid chain_id:uuid seq:integer ts:moment type retention content_hash:bytes metadata:json"
        " prev_hash:bytes canonical:bytes hash:bytes signature:bytes"
    ),
    "governance_merkletree": columns("tenant_id:uuid size:integer root:bytes"),
}

Progress = Callable[[str, int, int], None]
Item = TypeVar("Item")


def verify(
    tenant_id: uuid.UUID,
    *,
    trusted: Sequence[SignedNote] = (),
    progress: Progress = lambda *_: None,
    since: VerifiedUntil | None = None,
    quorum: Quorum | None = None,
    using: str = table_rows.VERIFIER,
) -> Report:
    """Verify entries, signatures, seals, sealed rows and texts of a tenant, in one snapshot of the database, against
    all tree heads published before it and the `trusted` ones. The newest of them needs the cosignatures of the
    `quorum`.

    With `since`, verify only later entries, leaves with their rows and texts, and tree heads; earlier ones are skipped,
    and so are all comparisons. `progress` is called with the name of the step, the number done and the total. The
    result is recorded in the ledger (`ledger.verified`), unless writes are refused. Without findings, the confirmed
    extent of the ledger is stored (verified_until.py). Raises TreeHeadsUnreadable and VerifierIsBlind.
    """
    last = published_tree_heads.last(tenant_id)
    # Tree heads published from here on may cover entries that the snapshot does not have.
    extent = published_tree_heads.extent(tenant_id)
    at = timezone.now()
    with table_rows.snapshot(tenant_id, using) as reader, Verifier(tenant_id, since=since) as verifier:
        reader.check({**TABLES, **sealed_rows.tables()}, verifier.findings)
        if not {*TABLES, sealed_rows.LEAVES} & reader.unreadable:
            _verify_entries(verifier, reader, progress, since)
            _verify_leaves(verifier, reader, progress, since)
            _verify_contents(verifier, reader, progress, since)
            if since is None:
                _compare(verifier, reader, progress)
        reached = verifier.verified_until(last.tree_head, at) if last else None
        report = verifier.finish(kept_notes.notes(verifier, tenant_id, trusted, since, extent=extent), quorum)
    verified_until.keep(tenant_id, reached if report.ok else None)
    _record(tenant_id, report)
    return report


def _verify_entries(verifier: Verifier, reader: RawReader, progress: Progress, since: VerifiedUntil | None) -> None:
    chains = reader.select(
        "SELECT id, name, seq, head FROM public.governance_chain WHERE tenant_id = %s ORDER BY name", [reader.tenant_id]
    )
    starts = {name: one.seq for name, one in since.chains.items()} if since else {}
    total = sum(seq - starts.get(name, -1) for _, name, seq, _ in chains)
    done = 0
    for id_, name, _, _ in chains:
        for page in _ahead(_entry_pages(reader, id_, starts.get(name))):
            for seq, canonical, digest, signature, *signed in page:
                entry = verifier.entry(name, seq, canonical, digest, signature)
                if entry is not None and not _says(entry, seq, *signed):
                    verifier.columns(name, seq)
            done += len(page)
            progress("entries", done, total)
    for _, name, seq, head in chains:
        verifier.head(name, seq, head)


def _entry_pages(reader: RawReader, chain: uuid.UUID, after: int | None) -> Iterator[list[Any]]:
    """All entries of a chain, since entries may have been inserted after its head."""
    while True:
        page = reader.select(
            "SELECT seq, canonical, hash, signature, ts, type, retention, content_hash, prev_hash, metadata"
            " FROM public.governance_entry WHERE tenant_id = %s AND chain_id = %s AND (%s::int8 IS NULL OR seq > %s)"
            " ORDER BY seq LIMIT (SELECT %s::int8)",
            [reader.tenant_id, chain, after, after, PAGE],
        )
        if page:
            yield page
        if len(page) < PAGE:
            return
        after = page[-1][0]


_EXACT = json.JSONDecoder(parse_int=Decimal, parse_float=Decimal)


def _says(
    entry: Entry,
    seq: int,
    ts: str,
    type_: str,
    retention: str,
    content_hash: bytes | None,
    prev_hash: bytes,
    metadata: str,
) -> bool:
    """Whether the columns of an entry match its signed bytes."""
    try:
        return (
            (entry.seq, entry.ts, entry.type, entry.retention, entry.content_hash, entry.prev_hash)
            == (seq, datetime.fromisoformat(ts), type_, retention, content_hash, prev_hash)
        ) and _is_same_json(entry.metadata, metadata)
    except (ValueError, RecursionError):
        return False  # a time after the year 9999, or JSON of a hundred thousand levels, was never signed


def _is_same_json(signed: dict[str, Any], column: str) -> bool:
    try:
        if orjson.dumps(signed, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
            orjson.loads(column), option=orjson.OPT_SORT_KEYS
        ):
            return True
    except (orjson.JSONEncodeError, json.JSONDecodeError):
        pass  # numbers of more than 64 bits
    # Equal numbers may be written differently; 1 is not true.
    return bool(_exact(_EXACT.decode(json.dumps(signed))) == _exact(_EXACT.decode(column)))


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _exact(one) for key, one in value.items()}
    return [_exact(one) for one in value] if isinstance(value, list) else (type(value), value)


def _verify_leaves(verifier: Verifier, reader: RawReader, progress: Progress, since: VerifiedUntil | None) -> None:
    kinds = {kind.name for kind in sealed_kinds.kinds()}
    trees = reader.select(
        "SELECT size, root FROM public.governance_merkletree WHERE tenant_id = %s", [reader.tenant_id]
    )
    size, root = trees[0] if len(trees) == 1 else (0, None)
    first = since.tree_head.size if since else 0
    done = 0
    # Read all leaves, since leaves may have been inserted before the first.
    for leaves, rows in _ahead(_leaf_pages(reader, first if since else _LEAST, with_words=since is not None)):
        for leaf in leaves:
            verifier.leaf(*leaf)
            if leaf.kind not in kinds:
                verifier.row(leaf.position, None)
        found = sealed_rows.differences(reader, (leaf for leaf in leaves if leaf.kind in kinds), rows)
        for leaf, digest in found.changed:
            verifier.row(leaf.position, digest)
        for id_ in rows.altered:
            verifier.content(uuid.UUID(id_), "altered")
        for id_ in rows.erased if since else ():
            verifier.content(uuid.UUID(id_), "missing")
        for id_ in found.lost:
            verifier.content(uuid.UUID(id_), "lost")
        done += len(leaves)
        progress("sealed rows", done, size - first)
    verifier.tree(size, root)
    if since:
        _look_up(verifier, reader, first)


def _leaf_pages(reader: RawReader, first: int, *, with_words: bool) -> Iterator[tuple[list[Any], sealed_rows.ReadRows]]:
    while leaves := sealed_rows.read_leaves(reader, first, PAGE):
        yield leaves, sealed_rows.read(reader, leaves, with_words=with_words)
        if len(leaves) < PAGE:
            return
        first = leaves[-1].position + 1


def _look_up(verifier: Verifier, reader: RawReader, size: int) -> None:
    """Look up rows and redactions in the skipped part to which later entries refer."""
    ids = [id_ for _, id_ in verifier.unresolved()]
    for start in range(0, len(ids), PAGE):
        for kind, id_ in reader.select(
            "SELECT kind, row_id FROM public.governance_leaf"
            " WHERE tenant_id = %s AND row_id = ANY (%s) AND position < %s",
            [reader.tenant_id, ids[start : start + PAGE], size],
        ):
            verifier.known_leaf(kind, id_)
    if verifier.unexplained():
        for (canonical,) in reader.select(
            "SELECT canonical FROM public.governance_entry WHERE tenant_id = %s AND type = 'redaction'",
            [reader.tenant_id],
        ):
            verifier.known_redaction(canonical)


def _verify_contents(verifier: Verifier, reader: RawReader, progress: Progress, since: VerifiedUntil | None) -> None:
    """Verify all texts; with `since`, those of new rows were already read with the rows."""
    if since or {sealed_rows.CONTENT, sealed_rows.ERASED} & reader.unreadable:
        return
    done = 0
    for page in _ahead(_content_pages(reader)):
        for id_, salt, body, digest in page:
            if not sealed_rows.words_match(salt, body, digest):
                verifier.content(id_, "altered")
        done += len(page)
        progress("words", done, done)
    # An erased text needs a redaction entry, which is signed; its tombstone row is not.
    for (id_,) in reader.select(
        "SELECT id FROM public.governance_erasedcontent WHERE tenant_id = %s", [reader.tenant_id]
    ):
        verifier.content(id_, "missing")


def _content_pages(reader: RawReader) -> Iterator[list[Any]]:
    after: uuid.UUID | None = None
    while True:
        page = reader.select(
            "SELECT id, salt, body, sha256 FROM public.governance_content"
            " WHERE tenant_id = %s AND (%s::uuid IS NULL OR id > %s) ORDER BY id LIMIT (SELECT %s::int8)",
            [reader.tenant_id, after, after, PAGE],
        )
        if page:
            yield page
        if len(page) < PAGE:
            return
        after = page[-1][0]


def _compare(verifier: Verifier, reader: RawReader, progress: Progress) -> None:
    found = comparisons.comparisons()
    for done, (name, compare) in enumerate(found.items()):
        progress(name, done, len(found))
        try:
            with transaction.atomic(using=reader.using):
                compare(comparisons.Comparison(reader.tenant_id, reader.using, verifier.findings))
        except (DatabaseError, psycopg.Error):
            if not reader.unreadable:
                raise
            # an object that replaces a table may be unreadable: that is already a finding, and this is another
            verifier.findings.add(Kind.SCHEMA, ROWS, None, f"the comparison of {name} cannot read its rows")


def _ahead(pages: Iterable[Item]) -> Iterator[Item]:
    """Read each page while the previous one is verified, so that PostgreSQL and this process work in parallel."""
    iterator = iter(pages)
    with ThreadPoolExecutor(1, thread_name_prefix="reading") as pool:
        coming = pool.submit(next, iterator, None)
        while (page := coming.result()) is not None:
            coming = pool.submit(next, iterator, None)
            yield page


def _record(tenant_id: uuid.UUID, report: Report) -> None:
    first = report.first
    with gate.job(tenant_id, "verify_chain"):
        # for the home page, even if the ledger accepts no entry
        db.note_verification(tenant=tenant_id, findings=report.finding_count)
    if report.since and report.ok:
        return  # an hourly entry without findings would be noise
    try:
        with gate.job(tenant_id, "verify_chain"):
            appending.record(
                "ledger.verified",
                actor=system(tenant_id, "verify_chain"),
                metadata={
                    "entries": report.entries,
                    "leaves": report.leaves,
                    "erased": report.erased,
                    "findings": report.finding_count,
                    "first": f"{first.kind} in {first.chain} at {first.seq}" if first else None,
                },
            )
    except (Unavailable, DatabaseError) as error:
        # The findings matter more, and a ledger that was tampered with may refuse another entry.
        logger.warning("the ledger could not record the verification: %s", type(error).__name__)
