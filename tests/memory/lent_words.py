"""What several files of these tests ask of the words that the turns of a session lend to one another."""

import hashlib

from django.db import connections

from governance.acting import gate
from memory.services import completing


def place_of(stem):
    """The place of a stem in the vectors of words, as memory/sql/functions/term_dim.sql has it."""
    return int(hashlib.md5(stem.encode(), usedforsecurity=False).hexdigest()[:7], 16) + 1


def vectors(world):
    """The vector of words of each chunk by its id: {place: value}, or None."""
    with world.inside("owner"):
        rows = gate.rows(
            "SELECT id, lex::text AS lex FROM memory_effectivechunk WHERE tenant_id = %s", [world.tenant_id], "owner"
        )
    return {str(row["id"]): row["lex"] and _parsed(row["lex"]) for row in rows}


def _parsed(lex):
    inside = lex[1 : lex.index("}")]
    return {int(place): float(value) for place, _, value in (one.partition(":") for one in inside.split(",") if one)}


def having(world, stem):
    """The ids of the chunks whose vectors of words have this stem, whoever said it."""
    return {chunk for chunk, vector in vectors(world).items() if vector and place_of(stem) in vector}


def complete(world):
    """What the job does until nothing waits."""
    while completing.complete_context(world.tenant_id):
        pass


def waiting(world):
    """How many chunks wait for the job."""
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_pendingcontext WHERE tenant_id = %s", [world.tenant_id])
        return cursor.fetchone()[0]
