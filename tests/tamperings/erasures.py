"""What the database says about erasures: who proposed and decided them, why, and what they erased."""

from tests.tamperings.commands import Command
from tests.tamperings.tampering import Class, Tampering, insert_copy, sql

CHAIN = Command.VERIFY_CHAIN


def _case(name: str, statement: str, *parts: str) -> Tampering:
    return Tampering(Class.READERS, name, sql(statement), {CHAIN: [("state without proof: rows: ", *parts)]})


def _erasure(name: str, assignment: str, *parts: str) -> Tampering:
    statement = f"UPDATE governance_erasure SET {assignment} WHERE id = %(proposed)s"
    return _case(name, statement, *parts, "governance_erasure {proposed}")


def _state(name: str, erasure: str, assignment: str, *parts: str) -> Tampering:
    statement = f"UPDATE governance_erasurestate SET {assignment} WHERE erasure_id = %({erasure})s"
    return _case(name, statement, *parts, f"governance_erasurestate {{{erasure}}}")


def _item(name: str, statement: str, *parts: str) -> Tampering:
    return _case(name, statement, *parts)


TAMPERINGS = [
    Tampering(
        Class.READERS,
        "a proposed erasure that somebody else proposed",
        sql(
            "WITH e AS (UPDATE governance_erasure SET proposed_by = %(bob_id)s WHERE id = %(proposed)s)"
            " UPDATE governance_erasurestate SET proposed_by = %(bob_id)s WHERE erasure_id = %(proposed)s"
        ),
        {
            CHAIN: [
                (
                    "proposed_by of the erasure {proposed} is {bob_id}",
                    "says {carol_id}",
                    "governance_erasure {proposed}",
                ),
                ("proposed_by of the erasure {proposed} is {bob_id}", "governance_erasurestate {proposed}"),
            ]
        },
    ),
    _erasure(
        "the proposer's name of an erasure", "proposer = 'mallory'", "proposer of the erasure {proposed} is mallory"
    ),
    _erasure("the reason of an erasure", "reason = 'none'", "reason of the erasure {proposed} is none"),
    _erasure("an erasure of something else", "target_id = %(event)s", "target_id of the erasure {proposed} is {event}"),
    _erasure(
        "an erasure that was proposed before",
        "created_at = created_at - interval '1 year'",
        "created_at of the erasure {proposed} is ",
    ),
    _state(
        "a proposed erasure that counts as rejected",
        "proposed",
        "status = 'rejected', decided_by = %(bob_id)s, decider = 'mallory', decided_at = now()",
        "status of the erasure {proposed} is rejected",
    ),
    _state(
        "an executed erasure that counts as proposed",
        "erasure",
        "status = 'pending', decided_by = NULL, decider = NULL, decided_at = NULL",
        "status of the erasure {erasure} is pending",
    ),
    _state(
        "somebody else who decided an erasure",
        "erasure",
        "decided_by = %(bob_id)s",
        "decided_by of the erasure {erasure} is {bob_id}",
    ),
    _state(
        "the name of the decider of an erasure",
        "erasure",
        "decider = 'mallory'",
        "decider of the erasure {erasure} is mallory",
    ),
    _state(
        "an erasure that was decided before",
        "erasure",
        "decided_at = decided_at - interval '1 year'",
        "decided_at of the erasure {erasure} is ",
    ),
    _state(
        "the reason of the decision on an erasure",
        "erasure",
        "decision_reason = 'none'",
        "decision_reason of the erasure {erasure} is none",
    ),
    _case(
        "a planted erasure",
        insert_copy("governance_erasure", "proposed", id="%(forged)s")
        + insert_copy("governance_erasurestate", "proposed", erasure_id="%(forged)s"),
        "The erasure {forged} by ",
        "no entry proposed it",
        "governance_erasure {forged}",
    ),
    _case(
        "a deleted erasure",
        "DELETE FROM governance_erasurestate WHERE erasure_id = %(proposed)s;"
        "DELETE FROM governance_erasure WHERE id = %(proposed)s",
        "The erasure {proposed} was proposed by entry ",
        ", but is not in the database",
        "governance_erasure {proposed}",
    ),
    _case(
        "the state of an erasure, deleted",
        "DELETE FROM governance_erasurestate WHERE erasure_id = %(proposed)s",
        "The erasure {proposed} is pending by entry ",
        ", but its state is missing",
        "governance_erasurestate {proposed}",
    ),
    _item(
        "the hash of an erased text, where the erasure lists it",
        "UPDATE governance_erasureitem SET sha256 = sha256('') WHERE id = %(erasure_item)s",
        "sha256 of the text {erased_text} is ",
        "governance_erasureitem {erasure_item}",
    ),
    _item(
        "another text that was erased",
        "UPDATE governance_erasureitem SET content_id = %(event_words)s WHERE id = %(erasure_item)s",
        "erased the text {event_words} by this row, but no redaction names it",
        "governance_erasureitem {erasure_item}",
    ),
    _item(
        "another record whose text was erased",
        "UPDATE governance_erasureitem SET record_id = %(event)s WHERE id = %(erasure_item)s",
        "erased the text {erased_text} of the event {event}, which does not have it",
        "governance_erasureitem {erasure_item}",
    ),
    _item(
        "another kind of record whose text was erased",
        "UPDATE governance_erasureitem SET kind = 'chunk' WHERE id = %(erasure_item)s",
        "erased the text {erased_text} of the chunk {erased}, which does not have it",
        "governance_erasureitem {erasure_item}",
    ),
    _item(
        "what an erasure erased, deleted",
        "DELETE FROM governance_erasureitem WHERE erasure_id = %(erasure)s",
        "The erasure {erasure} erased the text {erased_text} by entry ",
        ", but has no row for it",
        "governance_erasureitem {erased_text}",
    ),
    _item(
        "a record that an erasure erased, deleted",
        "DELETE FROM governance_erasureitem WHERE id = %(erasure_item)s",
        "The erasure {erasure} has rows of 0 records of the kind event, but by entry ",
        " it erased 1",
        "governance_erasureitem {erasure}",
    ),
    _item(
        "a text that counts as erased",
        insert_copy(
            "governance_erasureitem",
            "erasure_item",
            id="%(forged)s",
            record_id="%(event)s",
            content_id="%(event_words)s",
        ),
        "erased the text {event_words} by this row, but no redaction names it",
        "governance_erasureitem {forged}",
    ),
    _item(
        "a text that counts as erased by an erasure that waits",
        insert_copy("governance_erasureitem", "erasure_item", id="%(forged)s", erasure_id="%(proposed)s"),
        "The erasure {proposed} erased the text {erased_text} by this row, but no entry executed it",
        "governance_erasureitem {forged}",
    ),
]
