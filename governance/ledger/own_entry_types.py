"""The entries that the ledger appends about itself."""

from governance.ledger.entry_types import (
    FLAG,
    HASH,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    Chains,
    EntryType,
    Field,
    Presence,
)
from suture_verify.entries import GENESIS, IDENTITY, KEY_ROTATED, SEAL

TYPES = (
    EntryType(
        GENESIS,
        "Ledger started",
        "a tenant's ledger starts: it is entry 0 of the governance chain and pins its key",
        (Field("public_key", HASH, "the Ed25519 key that signs the chain"),),
    ),
    EntryType(
        IDENTITY,
        "Chain started",
        "another chain starts: it is entry 0 of the chain and pins its key",
        (
            Field("public_key", HASH, "the Ed25519 key that signs the chain"),
            Field("agent", TEXT, "the slug of the chain's agent", Presence.OPTIONAL),
        ),
        chains=Chains.OTHERS,
    ),
    EntryType(
        KEY_ROTATED,
        "Signing key changed",
        "a new key signs the chain from the next entry on; the old key signs this entry",
        (
            Field("public_key", HASH, "the new Ed25519 key"),
            Field("previous_key", HASH, "the key that it replaces"),
        ),
        chains=Chains.EVERY,
    ),
    EntryType(
        SEAL,
        "Rows sealed",
        "the worker seals new rows",
        (
            Field("size", NUMBER, "the number of rows in the tenant's Merkle tree"),
            Field("root", HASH, "the root of the tree"),
            Field("previous_size", NUMBER, "the number of rows before this seal"),
            Field("counts", OBJECT, "how many rows of each kind this seal adds"),
            Field("complete", FLAG, "false if more rows wait for the next seal"),
            Field("chains", OBJECT, "the last entry of each other chain: its `seq` and its hash"),
        ),
    ),
    EntryType(
        "ledger.verified",
        "Ledger verified",
        "the ledger was verified against the database",
        (
            Field("entries", NUMBER, "how many entries were verified"),
            Field("leaves", NUMBER, "how many sealed rows were verified"),
            Field("erased", NUMBER, "how many contents are erased"),
            Field("findings", NUMBER, "the number of findings; 0 means that the ledger is intact"),
            Field("first", TEXT, "the first finding", Presence.NULLABLE),
        ),
    ),
    EntryType(
        "schema.fingerprinted",
        "Schema fingerprinted",
        "`migrate` signed the description of the database's own guards, or the tenant is new",
        (
            Field("fingerprint", HASH, "the SHA-256 of the signed description"),
            Field("objects", NUMBER, "how many functions, tables, triggers, policies and roles it describes"),
            Field(
                "accepted",
                LIST,
                "the objects that were changed without a migration and accepted by the operator (the first 200)",
                Presence.OPTIONAL,
            ),
        ),
    ),
)
