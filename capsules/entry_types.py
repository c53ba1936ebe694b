"""The ledger entries about capsules."""

from governance.ledger.entry_types import (
    FLAG,
    HASH,
    ID,
    MOMENT,
    NUMBER,
    EntryType,
    Field,
    Presence,
)

_CAPSULE = Field("capsule", ID, "the capsule")
_EXPIRES = Field("expires_at", MOMENT, "when it expires")
_HANDED = (
    _CAPSULE,
    _EXPIRES,
    Field("item_count", NUMBER, "how many items it has"),
    Field("audience_count", NUMBER, "how many agents may read it"),
    Field("may_forward", FLAG, "whether its audience may forward it"),
)


TYPES = (
    EntryType(
        "capsule.created",
        "Capsule created",
        "an agent or a person creates a capsule",
        (*_HANDED, Field("items_sha256", HASH, "the SHA-256 of the ids of its items, in their order")),
        ("capsule",),
    ),
    EntryType(
        "capsule.forwarded",
        "Capsule forwarded",
        "a capsule is forwarded",
        (
            *_HANDED,
            Field("forwards", ID, "the capsule that was forwarded"),
            Field(
                "items_sha256",
                HASH,
                "the SHA-256 of the ids of its items, in their order; absent if it has all of them",
                Presence.OPTIONAL,
            ),
        ),
        ("capsule",),
    ),
    EntryType(
        "capsule.revoked",
        "Capsule revoked",
        "a capsule is revoked, or the capsule that it was forwarded from",
        (
            _CAPSULE,
            Field("revoked_at", MOMENT, "when it was revoked"),
            Field("revoked_with", ID, "the capsule whose revocation revoked this one", Presence.OPTIONAL),
        ),
        ("capsule",),
    ),
    EntryType("capsule.expiring", "Capsule expires soon", "a capsule expires soon", (_CAPSULE, _EXPIRES), ("capsule",)),
    EntryType("capsule.expired", "Capsule expired", "a capsule has expired", (_CAPSULE, _EXPIRES), ("capsule",)),
)
