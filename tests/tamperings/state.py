"""What decides what readers see and is not sealed: the states of edits, the fold, the projections."""

from tests.tamperings.commands import Command
from tests.tamperings.tampering import Change, Class, Finds, Tampering, both, insert_copy, refolded, sql

CHAIN, EFFECTIVE = Command.VERIFY_CHAIN, Command.VERIFY_EFFECTIVE

_APPROVED = "status = 'approved', applied_at = clock_timestamp(), approvals = 1, approved_by = %(bob)s"
_REJECTED = "status = 'rejected', applied_at = NULL"
_WAITING = "status = 'pending', applied_at = NULL, approvals = 0, approved_by = NULL"


def _set(edit: str, assignments: str, chunk: str = "") -> Change:
    """Let the state of an edit say something else, and memory follow it."""
    statement = f"UPDATE governance_editstate SET {assignments} WHERE edit_id = %({edit})s"
    return refolded(statement, chunk or f"{edit}_chunk")


def _state(name: str, edit: str, does: Change, told: str) -> Tampering:
    """The state of an edit does not follow from the ledger: both commands that derive it say so."""
    found: dict[Command, Finds] = {
        CHAIN: [("state without proof: rows: ", f"governance_editstate {{{edit}}}: {told}")],
        EFFECTIVE: [f"{{slug}}: edit {{{edit}}}: {told}"],
    }
    return Tampering(Class.READERS, name, does, found)


def _row(name: str, table: str, row: str, does: Change, told: str, drift: str) -> Tampering:
    """A row that the state of an edit follows from does not fit the ledger."""
    found: dict[Command, Finds] = {
        CHAIN: [("state without proof: rows: ", told, f"({table} {{{row}}}")],
        EFFECTIVE: [(f"{{slug}}: {drift}: ", told)],
    }
    return Tampering(Class.READERS, name, does, found)


def _projected(name: str, assignment: str, what: str, chunk: str = "shown") -> Tampering:
    """A row of the projection differs from the fold, which `verify_effective` computes."""
    does = sql(f"UPDATE memory_effectivechunk SET {assignment} WHERE id = %({chunk})s")
    return Tampering(Class.READERS, name, does, {EFFECTIVE: [f"{{slug}}: chunk {{{chunk}}}: {what}"]})


def _given(name: str, statement: str, told: str) -> Tampering:
    """What context bundles gave out differs from the sealed bundles."""
    return Tampering(Class.READERS, name, sql(statement), {CHAIN: [("state without proof: rows: ", told)]})


def _drifts(name: str, statement: str, drift: str) -> Tampering:
    return Tampering(Class.READERS, name, sql(statement), {EFFECTIVE: [f"{{slug}}: {drift}"]})


_FORGED_EDIT = (
    insert_copy("governance_edit", "approved", id="%(forged)s", target_id="%(shown)s")
    + insert_copy("governance_editstate", "approved", edit_id="%(forged)s")
    + insert_copy("governance_verdict", "approved_verdict", id="gen_random_uuid()", edit_id="%(forged)s")
)
FORGED_VERDICT = insert_copy(
    "governance_verdict",
    "approved_verdict",
    id="%(forged)s",
    edit_id="%(pending)s",
    proposed_by="(SELECT proposed_by FROM governance_edit WHERE id = %(pending)s)",
    patch_sha256="(SELECT patch_sha256 FROM governance_edit WHERE id = %(pending)s)",
)

STATES = [
    _state(
        "an approved edit that counts as rejected",
        "approved",
        _set("approved", _REJECTED),
        "status is rejected, but the ledger proves approved",
    ),
    _state(
        "an approved edit that counts as pending",
        "approved",
        _set("approved", _WAITING),
        "status is pending, but the ledger proves approved",
    ),
    _state(
        "a pending edit that counts as approved",
        "pending",
        _set("pending", _APPROVED),
        "status is approved, but the ledger proves pending",
    ),
    _state(
        "a rejected edit that counts as approved",
        "rejected",
        _set("rejected", _APPROVED),
        "status is approved, but the ledger proves rejected",
    ),
    _state(
        "a withdrawn edit that counts as approved",
        "withdrawn",
        _set("withdrawn", _APPROVED),
        "status is approved, but the ledger proves withdrawn",
    ),
    _state(
        "an expired edit that counts as approved",
        "expired",
        _set("expired", _APPROVED),
        "status is approved, but the ledger proves expired",
    ),
    _state(
        "a revert that counts as rejected",
        "revert",
        _set("revert", _REJECTED, "reverted_chunk"),
        "status is rejected, but the ledger proves approved",
    ),
    _state(
        "two edits in another order",
        "amend",
        _set("amend", "applied_at = clock_timestamp()", "amended_chunk"),
        "applied_at is ",
    ),
    _state(
        "the number of approvals",
        "approved",
        _set("approved", "approvals = 2"),
        "approvals is 2, but the ledger proves 1",
    ),
    _state(
        "the name of who approved",
        "approved",
        _set("approved", "approved_by = 'mallory'"),
        "approved_by is mallory, but the ledger proves {bob}",
    ),
    _state(
        "a deleted state of an edit",
        "approved",
        refolded("DELETE FROM governance_editstate WHERE edit_id = %(approved)s", "approved_chunk"),
        "it is missing, but the ledger proves that the edit is approved",
    ),
    _row(
        "an edit that nobody proposed",
        "governance_edit",
        "forged",
        refolded(_FORGED_EDIT, "shown"),
        "no entry of the ledger proposes it",
        "edit {forged}",
    ),
    _row(
        "a verdict that nobody gave",
        "governance_verdict",
        "forged",
        both(sql(FORGED_VERDICT), _set("pending", _APPROVED)),
        "no entry of the ledger names this verdict (approved) on edit {pending}",
        "edit {pending}",
    ),
    _row(
        "another policy of the time",
        "governance_edit",
        "approved",
        sql("UPDATE governance_edit SET policy = 'open' WHERE id = %(approved)s"),
        "policy is open, but entry {proposal} of the ledger says standard",
        "edit {approved}",
    ),
    _row(
        "fewer approvals than the policy of the time asked for",
        "governance_edit",
        "pending",
        both(
            sql("UPDATE governance_edit SET approvals_required = 0 WHERE id = %(pending)s"), _set("pending", _APPROVED)
        ),
        "approvals_required is 0, but entry ",
        "edit {pending}",
    ),
    _row(
        "another target of an edit",
        "governance_edit",
        "approved",
        refolded("UPDATE governance_edit SET target_id = %(shown)s WHERE id = %(approved)s", "shown"),
        "target_id is {shown}, but entry {proposal} of the ledger says {approved_chunk}",
        "edit {approved}",
    ),
    _row(
        "another operation of an edit",
        "governance_edit",
        "approved",
        sql("UPDATE governance_edit SET op = 'quarantine' WHERE id = %(approved)s"),
        "op is quarantine, but entry {proposal} of the ledger says retract",
        "edit {approved}",
    ),
    _row(
        "another memory that a memory supersedes",
        "memory_supersession",
        "supersession",
        refolded("UPDATE memory_supersession SET superseded_id = %(shown)s WHERE id = %(supersession)s", "shown"),
        "{shown} is not memory ",
        "supersession {supersession}",
    ),
    _given(
        "a memory that a context bundle gave out, deleted",
        "DELETE FROM memory_contextbundleitem WHERE id = %(bundle_item)s",
        ": the context bundle {bundle} delivered the memory {given}, but has no row for it",
    ),
    _given(
        "another memory that a context bundle gave out",
        "UPDATE memory_contextbundleitem SET memory_id = %(forged)s WHERE id = %(bundle_item)s",
        "memory_contextbundleitem {bundle_item}: the context bundle {bundle} did not deliver the memory {forged}",
    ),
    _given(
        "a planted row of what a context bundle gave out",
        insert_copy("memory_contextbundleitem", "bundle_item", id="gen_random_uuid()", memory_id="%(forged)s"),
        ": the context bundle {bundle} did not deliver the memory {forged}",
    ),
    _given(
        "a memory that no context bundle gave out",
        insert_copy("memory_contextbundleitem", "bundle_item", id="gen_random_uuid()", bundle_id="%(forged)s"),
        ": the context bundle {forged} did not deliver the memory {given}",
    ),
    Tampering(
        Class.READERS,
        "a memory that supersedes nothing any more",
        sql("DELETE FROM memory_supersession WHERE id = %(supersession)s"),
        {
            CHAIN: ["content mismatch: leaves at {memory_row_at}: the agent_memory {memory} is not what was sealed"],
            EFFECTIVE: [("{slug}: chunk ", ": visibility")],
        },
    ),
]

PROJECTIONS = [
    _projected("the text that readers see", "text = 'Jack drinks gin'", "text"),
    _projected("the words that readers see", "content_id = %(event_words)s", "text", "summary"),
    _projected("memory that is hidden", "is_retracted = true, text = NULL", "visibility", "rejected_chunk"),
    _projected("memory that is quarantined", "is_quarantined = true", "visibility", "withdrawn_chunk"),
    _projected("memory that is blocked in a channel", "blocked_channels = '{private}'", "visibility", "expired_chunk"),
    _projected(
        "memory in the place of which another one is",
        "superseded_by = %(chunk)s, is_superseded = true",
        "visibility",
        "reverted_chunk",
    ),
    _projected("memory in another channel", "channel = 'public'", "metadata", "amended_chunk"),
    _projected(
        "memory of a lower sensitivity",
        "sensitivity = CASE sensitivity WHEN 'none' THEN 'low' ELSE 'none' END",
        "metadata",
        "pending_chunk",
    ),
    _projected("memory about somebody else", "subject_id = 'somebody else'", "metadata"),
    _projected("memory that somebody else recorded", "recorder = 'mallory'", "metadata", "rejected_chunk"),
    _projected("memory from another source", "source = 'file'", "metadata", "withdrawn_chunk"),
    _projected("memory of another importance", "importance = 1", "importance", "expired_chunk"),
    _projected("memory of another tier", "tier = 'archive'", "tier", "amended_chunk"),
    _drifts(
        "memory that is found by other words, as if the language had changed",
        "INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded) VALUES (%(tenant)s, %(pending_chunk)s, true)"
        " ON CONFLICT (tenant_id, id) DO UPDATE SET is_reworded = true;"
        "UPDATE memory_effectivechunk SET tsv = to_tsvector('gin') WHERE id = %(pending_chunk)s",
        "chunk {pending_chunk}: search vector",
    ),
    _drifts(
        "retracted memory that is shown",
        "UPDATE memory_effectivechunk SET is_retracted = false, text = 'Jack drinks gin' WHERE id = %(approved_chunk)s",
        "chunk {approved_chunk}: visibility",
    ),
    _drifts(
        "memory that is missing",
        "DELETE FROM memory_effectivechunk WHERE id = %(reverted_chunk)s",
        "chunk {reverted_chunk}: missing",
    ),
    _drifts(
        "memory that nobody recorded",
        insert_copy("memory_effectivechunk", "chunk", id="%(forged)s"),
        "chunk {forged}: without a record",
    ),
    _drifts(
        "a decision that is hidden",
        "UPDATE memory_effectivedecision SET is_retracted = true WHERE id = %(decision)s",
        "decision {decision}: state",
    ),
    _drifts(
        "a task that is done",
        "UPDATE memory_effectivetask SET status = 'done' WHERE id = %(task_id)s",
        "task {task_id}: state",
    ),
    _drifts(
        "a capsule that is revoked",
        "UPDATE capsules_effectivecapsule SET status = 'revoked', revoked_at = now() WHERE id = %(capsule)s",
        "capsule {capsule}: status",
    ),
    _drifts(
        "a capsule that lasts longer",
        "UPDATE capsules_effectivecapsule SET expires_at = expires_at + interval '1 year' WHERE id = %(capsule)s",
        "capsule {capsule}: metadata",
    ),
    _drifts(
        "how often memory was used",
        "UPDATE memory_chunkaccess SET access_count = access_count + 7 WHERE id = %(used)s",
        "usage {used}: accesses",
    ),
]

TAMPERINGS = [*STATES, *PROJECTIONS]
