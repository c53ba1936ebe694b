"""The five tamperings of the literature (edit, delete, reorder, insert, truncate), with sealed rows, their words and
their leaves. Those with entries and seals are in chains.py."""

from tests.ledger.tampering import FLIP
from tests.tamperings.commands import Command
from tests.tamperings.tampering import Change, Class, Finds, Tampering, sql, swapped

CHAIN, EFFECTIVE = Command.VERIFY_CHAIN, Command.VERIFY_EFFECTIVE
CHECK, OFFLINE = Command.CHECK_LEDGER, Command.OFFLINE


def _edited(name: str, table: str, assignment: str, seen: Finds = (), *, kind: str = "", label: str = "") -> Tampering:
    """A sealed row says something else; `seen` is what readers then see wrong."""
    does = sql(f"UPDATE {table} SET {assignment} WHERE id = %({name})s")
    row = f"the {kind or name} {{{name}}} is not what was sealed ({kind or name} {{{name}}})"
    found: dict[Command, Finds] = {CHAIN: [f"content mismatch: leaves at {{{name}_at}}: {row}"]}
    return Tampering(Class.EDIT, f"a sealed {label or kind or name}", does, found | ({EFFECTIVE: seen} if seen else {}))


def _deleted(name: str, table: str, seen: Finds = (), kind: str = "") -> Tampering:
    """A sealed row is gone; `seen` as above."""
    does = sql(f"DELETE FROM {table} WHERE id = %({name})s")
    row = f"the {kind or name} {{{name}}} was sealed and is gone ({kind or name} {{{name}}})"
    found: dict[Command, Finds] = {CHAIN: [f"content missing without redaction: leaves at {{{name}_at}}: {row}"]}
    return Tampering(Class.DELETE, f"a sealed {kind or name}", does, found | ({EFFECTIVE: seen} if seen else {}))


def _leaf(assignment: str) -> Change:
    return sql(f"UPDATE governance_leaf SET {assignment} WHERE row_id = %(event)s AND kind = 'event'")


#: An id after all others: an id between its neighbours' is found on the server only.
_LATER = "ffffffff-0000-7000-8000-00000000000f"
_EVENT_DIFFERS = "content mismatch: leaves at {event_at}: the event {event} is not what was sealed (event {event})"
_CHUNK_DIFFERS = "content mismatch: leaves at {chunk_at}: the chunk {chunk} is not what was sealed (chunk {chunk})"
_SHOWN_DIFFERS = "content mismatch: leaves at {shown_at}: the chunk {shown} is not what was sealed (chunk {shown})"
_ERASED_DIFFERS = "content mismatch: leaves at {erased_at}: the event {erased} is not what was sealed (event {erased})"
_WORDS_MISSING = (
    "content missing without redaction: content: the words of {event_words} are missing (content {event_words})"
)
_HASH_MISSING = (
    "content missing without redaction: content: the words of {erased_words} were erased, and their hash, which the"
    " erasure left, is missing (content {erased_words})"
)
_OUT_OF_ORDER = "a seal has the rows of each kind together and in order"
_EVENT_PROMISED = (
    "content missing without redaction: rows: the receipt {receipt} promises the event {event}, but no leaf has its"
    " hash (memory_event {event})"
)
_EVENT_UNKNOWN = "row without receipt: rows: the event {event} is in memory_event"
_LAST_PROMISED = "the receipt {last_receipt} promises the chunk {last_chunk}, but no leaf has its hash"
_CUT = [
    "truncated: governance at {last_seal}: it seals {size} leaves",
    "truncated: governance at {last_seal}: the tree head covers {size} leaves",
]

EDITS = [
    _edited("event", "memory_event", "actor_id = 'mallory'"),
    _edited("chunk", "memory_chunk", "channel = 'public'", ["chunk {chunk}: metadata"]),
    _edited(
        "summary", "memory_chunk", "importance = 0.99", ["chunk {summary}: importance"], kind="chunk", label="summary"
    ),
    _edited("approved", "governance_edit", "reason = 'another'", kind="edit"),
    _edited("approved_verdict", "governance_verdict", "decider = 'mallory'", kind="verdict"),
    _edited("capsule", "capsules_capsule", "may_forward = NOT may_forward", ["capsule {capsule}: metadata"]),
    _edited("capsule_item", "capsules_capsuleitem", "item_id = gen_random_uuid()"),
    _edited("access", "governance_accessrecord", "actor = 'mallory'"),
    _edited("task", "memory_task", "status = 'done'", ["task {task}: state"]),
    _edited("artifact", "memory_artifact", "media_type = 'text/html'"),
    _edited("delivery", "memory_delivery", "receiver = 'mallory'"),
    _edited("relation", "memory_relation", "key = 'another'", ["chunk {related}: metadata"]),
    _edited("value", "memory_value", "channel = 'public'"),
    _edited("audience", "governance_audience", "usersets = '{patient:mallory}'"),
    _edited("relation_tuple", "governance_relationtuple", "principal = 'patient:mallory'"),
    _edited("relation_revocation", "governance_relationrevocation", "reason = 'another'"),
    Tampering(
        Class.EDIT,
        "where the chunks of a sealed version of a file are",
        sql("DELETE FROM memory_fileplacement WHERE tenant_id = %(tenant)s"),
        {CHAIN: ["the file_version "], EFFECTIVE: [("chunk ", ": visibility")]},
    ),
    Tampering(
        Class.EDIT,
        "words",
        sql("UPDATE governance_content SET body = body || ' not' WHERE id = %(event_words)s"),
        {
            CHAIN: ["content mismatch: content: the words of {event_words} do not match their hash"],
            EFFECTIVE: ["chunk {chunk}: text"],
        },
    ),
    Tampering(
        Class.EDIT,
        "words with their hash",
        sql("UPDATE governance_content SET body = 'x', sha256 = sha256(salt || 'x'::bytea) WHERE id = %(event_words)s"),
        {CHAIN: [_EVENT_DIFFERS, _CHUNK_DIFFERS], EFFECTIVE: ["chunk {chunk}: text"]},
    ),
    Tampering(
        Class.EDIT,
        "an event of which the words are erased",
        sql("UPDATE memory_event SET actor_id = 'mallory' WHERE id = %(erased)s"),
        {CHAIN: [_ERASED_DIFFERS]},
    ),
    Tampering(
        Class.EDIT,
        "an event of which the words are erased, without the hash that the erasure left",
        sql(
            "DELETE FROM governance_erasedcontent WHERE id = %(erased_words)s;"
            "UPDATE memory_event SET actor_id = 'mallory' WHERE id = %(erased)s"
        ),
        {CHAIN: [_HASH_MISSING]},
    ),
    Tampering(
        Class.EDIT,
        "the hash of erased words",
        sql("UPDATE governance_erasedcontent SET sha256 = sha256('') WHERE id = %(erased_words)s"),
        {CHAIN: [_ERASED_DIFFERS]},
    ),
    Tampering(
        Class.EDIT,
        "the hash of a leaf",
        _leaf(FLIP.format("hash", 3)),
        {
            CHAIN: [
                _EVENT_DIFFERS,
                "split view: governance at {published_before}: the first {size_before} leaves do not give the",
                "row without receipt: leaves at {event_at}: the event {event} is sealed, but the server signed no",
                _EVENT_PROMISED,
            ],
            OFFLINE: ["split view: governance at {published_before}: the first {size_before} leaves do not give the"],
        },
    ),
    Tampering(
        Class.EDIT,
        "the row of a leaf",
        _leaf(f"row_id = '{_LATER}'"),
        {
            CHAIN: [
                f"content missing without redaction: leaves at {{event_at}}: the event {_LATER} was sealed and is gone",
                _EVENT_UNKNOWN,
            ],
            OFFLINE: [("seal mismatch: leaves at ", _OUT_OF_ORDER)],
        },
    ),
    Tampering(
        Class.EDIT,
        "the kind of a leaf",
        _leaf("kind = 'chunk'"),
        {
            CHAIN: [
                "content missing without redaction: leaves at {event_at}: the chunk {event} was sealed and is gone",
                _EVENT_UNKNOWN,
            ],
            OFFLINE: [("seal mismatch: governance at {published_before}: its leaves are ", "is not what it counted")],
        },
    ),
    Tampering(
        Class.EDIT,
        "the root of the tree",
        sql("UPDATE governance_merkletree SET root = sha256('') WHERE tenant_id = %(tenant)s"),
        {CHAIN: ["seal mismatch: leaves at {last_leaf}: the leaves do not give the root of the tree's row"]},
    ),
    Tampering(
        Class.EDIT,
        "the size of the tree",
        sql("UPDATE governance_merkletree SET size = size + 1 WHERE tenant_id = %(tenant)s"),
        {
            CHAIN: [
                "seal mismatch: leaves at {size}: the tree has {one_more} leaves, as its row says, and there are {size}"
            ]
        },
    ),
]

DELETIONS = [
    Tampering(
        Class.DELETE,
        "a sealed event with its chunk",
        sql(
            "DELETE FROM memory_effectivechunk WHERE id = %(chunk)s; DELETE FROM memory_chunk WHERE id = %(chunk)s;"
            " DELETE FROM memory_event WHERE id = %(event)s"
        ),
        {
            CHAIN: [
                "content missing without redaction: leaves at {event_at}: the event {event} was sealed and is gone",
                "content missing without redaction: leaves at {chunk_at}: the chunk {chunk} was sealed and is gone",
            ]
        },
    ),
    _deleted(
        "approved_verdict",
        "governance_verdict",
        [("edit {approved}: governance_verdict {approved_verdict}", "which has no such verdict")],
        kind="verdict",
    ),
    _deleted("capsule_item", "capsules_capsuleitem", ["capsule {capsule}: metadata"]),
    _deleted("access", "governance_accessrecord"),
    _deleted("artifact", "memory_artifact"),
    _deleted("task", "memory_task", ["task {task}: without a record"]),
    _deleted("delivery", "memory_delivery", [("usage ", ": accesses")]),
    _deleted("relation", "memory_relation", ["chunk {related}: metadata"]),
    _deleted("value", "memory_value"),
    _deleted("audience", "governance_audience"),
    _deleted("relation_tuple", "governance_relationtuple"),
    _deleted("relation_revocation", "governance_relationrevocation"),
    Tampering(
        Class.DELETE,
        "words",
        sql("DELETE FROM governance_content WHERE id = %(event_words)s"),
        {CHAIN: [_WORDS_MISSING], EFFECTIVE: ["chunk {chunk}: visibility"]},
    ),
    Tampering(
        Class.DELETE,
        "words under the pretext of an erasure",
        sql(
            "INSERT INTO governance_erasedcontent (tenant_id, id, sha256, erasure_id, erased_at)"
            " SELECT tenant_id, id, sha256, gen_random_uuid(), now() FROM governance_content"
            " WHERE id = %(event_words)s; DELETE FROM governance_content WHERE id = %(event_words)s"
        ),
        {CHAIN: [_WORDS_MISSING], EFFECTIVE: ["chunk {chunk}: visibility"]},
    ),
    Tampering(
        Class.DELETE,
        "the hash that an erasure left",
        sql("DELETE FROM governance_erasedcontent WHERE id = %(erased_words)s"),
        {CHAIN: [_HASH_MISSING]},
        hides_others=True,  # nothing that had those words can be compared
    ),
    Tampering(
        Class.DELETE,
        "a leaf",
        sql("DELETE FROM governance_leaf WHERE row_id = %(event)s AND kind = 'event'"),
        {
            CHAIN: ["gap: leaves at {event_at}: ", _EVENT_PROMISED, _EVENT_UNKNOWN],
            OFFLINE: ["gap: leaves at {event_at}: "],
        },
        hides_others=True,  # nothing behind a gap is compared
    ),
]

_OTHER_ROOT = (
    "split view: governance at {published_before}: the first {size_before} leaves do not give the tree head's root"
)

ORDERS = [
    Tampering(
        Class.REORDER,
        "two leaves",
        swapped("governance_leaf", "position", "tenant_id = %(tenant)s", "event_at", "access_at"),
        {
            CHAIN: ["split view: governance at {seal}: ", _OTHER_ROOT],
            OFFLINE: ["split view: governance at {seal}: ", _OTHER_ROOT],
        },
    ),
    Tampering(
        Class.REORDER,
        "two leaves of one kind",
        swapped("governance_leaf", "position", "tenant_id = %(tenant)s", "chunk_at", "shown_at"),
        {CHAIN: [_OTHER_ROOT], OFFLINE: [_OTHER_ROOT]},
    ),
    Tampering(
        Class.REORDER,
        "the rows of two leaves",
        sql(
            "UPDATE governance_leaf SET row_id = %(forged)s WHERE position = %(chunk_at)s AND tenant_id = %(tenant)s;"
            "UPDATE governance_leaf SET row_id = %(chunk)s WHERE position = %(shown_at)s AND tenant_id = %(tenant)s;"
            "UPDATE governance_leaf SET row_id = %(shown)s WHERE position = %(chunk_at)s AND tenant_id = %(tenant)s"
        ),
        {
            CHAIN: [
                "content mismatch: leaves at {chunk_at}: the chunk {shown} is not what was sealed",
                "content mismatch: leaves at {shown_at}: the chunk {chunk} is not what was sealed",
            ],
            OFFLINE: [("seal mismatch: leaves at {shown_at}", _OUT_OF_ORDER, "{chunk}")],
        },
        hides_others=True,  # one leaf out of order is named
    ),
    Tampering(
        Class.REORDER,
        "the words of two chunks",
        sql(
            "UPDATE memory_chunk c SET content_id = o.content_id FROM memory_chunk o"
            " WHERE (c.id, o.id) IN ((%(chunk)s, %(shown)s), (%(shown)s, %(chunk)s))"
        ),
        {CHAIN: [_CHUNK_DIFFERS, _SHOWN_DIFFERS], EFFECTIVE: ["chunk {chunk}: text", "chunk {shown}: text"]},
    ),
    Tampering(
        Class.REORDER,
        "the items of a capsule",
        sql("UPDATE capsules_capsuleitem SET position = position + 7 WHERE id = %(capsule_item)s"),
        {CHAIN: ["content mismatch: leaves at {capsule_item_at}: the capsule_item {capsule_item}"]},
    ),
]

_PLANTED = (
    "INSERT INTO governance_leaf (tenant_id, position, kind, row_id, hash) SELECT tenant_id, {}, kind, %(forged)s, hash"
    " FROM governance_leaf WHERE row_id = %(event)s AND kind = 'event'"
)

INSERTIONS = [
    Tampering(
        Class.INSERT,
        "a leaf behind the last one",
        sql(
            f"{_PLANTED.format('%(size)s')};"
            " UPDATE governance_merkletree SET size = size + 1 WHERE tenant_id = %(tenant)s"
        ),
        {
            CHAIN: [
                "content missing without redaction: leaves at {size}: the event {forged} was sealed and is gone",
                "row without receipt: leaves at {size}: the event {forged} is sealed, but the server signed no receipt",
            ]
        },
    ),
    Tampering(
        Class.INSERT,
        "a leaf before the first one",
        sql(_PLANTED.format("-1")),
        {CHAIN: ["gap: leaves at 0: leaf -1 comes where 0 is expected"]},
        refused={OFFLINE: "Cannot read"},
    ),
]

TRUNCATIONS = [
    Tampering(
        Class.TRUNCATE,
        "the last leaf",
        sql("DELETE FROM governance_leaf WHERE tenant_id = %(tenant)s AND position = %(last_leaf)s"),
        {CHAIN: [*_CUT, _LAST_PROMISED], OFFLINE: _CUT},
    ),
    Tampering(
        Class.TRUNCATE,
        "the last leaves with the size of the tree",
        sql(
            "DELETE FROM governance_leaf WHERE tenant_id = %(tenant)s AND position >= %(size_before)s;"
            " UPDATE governance_merkletree SET size = %(size_before)s WHERE tenant_id = %(tenant)s"
        ),
        {
            CHAIN: [*_CUT, _LAST_PROMISED],
            OFFLINE: _CUT,
            CHECK: ["{slug}: The database has fewer than {size} sealed rows"],
        },
    ),
]

TAMPERINGS = [*EDITS, *DELETIONS, *ORDERS, *INSERTIONS, *TRUNCATIONS]
