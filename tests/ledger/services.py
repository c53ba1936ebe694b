"""Every service, and the entries that it appends."""

import importlib
import inspect
import pkgutil
import re

import capsules.services
import capture.services
import memory.checkpoints
import memory.curation
import memory.services
import memory.tiers
import memory.usage
import memory.values
from governance import daily_counts, edits, erasure, idempotency, identity, ledger, relations

#: Where services are: whatever writes enters here.
PACKAGES = (
    edits,
    erasure,
    identity,
    ledger,
    relations,
    capture.services,
    memory.checkpoints,
    memory.curation,
    memory.services,
    memory.tiers,
    memory.usage,
    memory.values,
    capsules.services,
)
MODULES = (daily_counts, idempotency)
#: Modules of the rooms that hold no service: HTTP, readers, registers, keys and pure functions.
NO_SERVICES = re.compile(
    r"governance\.(edits\.(diffs|operations|provenance|queries|state_checks|statements|states_from_proof|targets)"
    r"|erasure\.(keepers|purging)"
    r"|identity\.(changes|proving\b.*)|\w+\.entry_types"
    r"|relations\.(audience_json|authority|drafts|listing|refusals|unused_names)"
    r"|ledger\.(comparisons|entry_types|kept_notes|keyring|leaf_forms|leaf_functions|own_entry_types|published_tree_heads"
    r"|receipt_checks|schema_differences|sealed_kinds|sealed_rows|table_rows|tree|unpublished_entries|verified_until|witnesses))"
    r"|memory\.curation\.(importance|queries|rebuilding|recall|supersession|state_checks|entry_types)"
    r"|capture\.services\.importance"
    r"|memory\.tiers\.(entry_types|queries|messages)"
    r"|memory\.checkpoints\.(db|entry_types|format|json_members|queries|refusals|state_ids|storage)"
    r"|memory\.usage\.(deliveries|entry_types|means)"
    r"|memory\.values\.(cutting|db|folding|provenance|reading|targets)"
)


def services(*, for_somebody):
    """Every public function of the services, by name: those that take an `actor`, or those that take none."""
    found = {}
    names = [info.name for one in PACKAGES for info in pkgutil.walk_packages(one.__path__, f"{one.__name__}.")]
    modules = [importlib.import_module(name) for name in names if not NO_SERVICES.fullmatch(name)]
    for module in [*modules, *MODULES]:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            is_ours = function.__module__ == module.__name__ and not name.startswith("_")
            if is_ours and ("actor" in inspect.signature(function).parameters) == for_somebody:
                found[name if for_somebody else f"{module.__name__.rpartition('.')[2]}.{name}"] = function
    return found


#: Function -> the entries that it appends. None: it changes nothing, leaves a row of the access log at most, is the
#: ledger itself, or writes into the ledger of the tenant that it makes (tests/admin/test_make_tenant.py).
ENTRIES = {
    # rows that seals cover, one by one in no chain; refused where no entry could be appended (tests/ledger)
    "record_events": [],
    "record_summary": [],
    "record_prepared": [],
    "record_captures": [],
    "store_part": [],
    "rename_file": [],
    "mark_file_deleted": [],
    "delete_captures": [],
    "delete_by_file_path": [],
    "create_checkpoints": [],
    "report_turn": [],
    "finish_operation": [],
    "change_session": [],
    "share_session": ["session.shared"],
    "accept_offer": ["session.taken"],
    "pin_checkpoint": ["checkpoint.pinned"],
    "restore_checkpoint": ["checkpoint.restored"],
    "restore_by_path": ["checkpoint.restored"],
    "read_states": [],
    "delete_checkpoint": ["checkpoint.deleted"],
    "delete_checkpoints": ["checkpoint.deleted"],
    "delete_all": ["checkpoint.deleted"],
    "delete_session": ["session.deleted"],
    "record_outcome": [],
    "set_confidence": ["confidence.changed"],
    # before something is recorded
    "as_event": None,
    "prepare_captures": None,
    "recorded_already": None,
    "embed_part": None,
    "latest_version": None,
    "list_files": None,
    "preview_by_filter": None,
    "commit_by_filter": ["edits.proposed"],
    "preview_value": None,
    "commit_value": ["edit.proposed", "edit.approved"],
    "preview_containment": None,
    "contain": ["edits.proposed"],
    "preview_revert": None,
    "revert_batch": ["edits.proposed"],
    "propose_edit": ["edit.proposed", "edit.approved"],
    "propose_edits": ["edits.proposed"],
    "update_memory": ["edits.proposed"],
    "forget_memory": ["edits.proposed"],
    "revert_edit": ["edit.proposed", "edit.approved"],
    "decide_edit": ["edit.approved"],
    "approve_edit": ["edit.approved"],
    "reject_edit": ["edit.rejected"],
    "withdraw_edit": ["edit.withdrawn"],
    "preview_edit": None,
    "issue_key": ["key.issued"],
    "revoke_key": ["key.revoked"],
    "rotate_key": ["key.revoked", "key.issued"],
    "add_relation": ["relation.added"],
    "import_relations": ["relation.added", "relation.added"],
    "revoke_relation": ["relation.revoked"],
    "add_implied_relation": ["implied_relation.added"],
    "remove_implied_relation": ["implied_relation.removed"],
    "set_audience_rule": ["audience_rule.set"],
    "remove_audience_rule": ["audience_rule.removed"],
    "create_agent": ["agent.created", "identity"],
    "deactivate_agent": ["agent.deactivated"],
    "activate_agent": ["agent.activated"],
    "set_quarantine_reader": ["agent.quarantine_allowed"],
    "add_person": ["person.added", "role.granted"],
    "grant_role": ["role.granted"],
    "invite": ["person.invited"],
    "withdraw_invitation": ["invitation.withdrawn"],
    "withdraw_role": ["role.withdrawn"],
    "remove_person": ["role.withdrawn", "key.revoked", "person.removed"],
    "deactivate_person": ["person.deactivated"],
    "activate_person": ["person.activated"],
    "give_one_time_password": ["person.password_given"],
    "turn_off_second_factor": ["person.second_factor_off"],
    "make_tenant": None,
    "make_account": None,  # its caller appends what it owes
    "change_tenant": ["tenant.changed"],
    "record_entered": ["tenant.entered"],
    "use_preset": ["policy.changed"],
    "propose_change": ["policy.proposed", "policy.changed"],
    "decide_change": ["policy.changed"],
    "propose_erasure": ["erasure.proposed"],
    "approve_erasure": ["erasure.approved", "redaction", "erasure.executed"],
    "reject_erasure": ["erasure.rejected"],
    "withdraw_erasure": ["erasure.withdrawn"],
    "create_capsule": ["capsule.created"],
    "forward_capsule": ["capsule.forwarded"],
    "revoke_capsule": ["capsule.revoked", "capsule.revoked"],
    "promote": ["promotion"],
    "commit": ["memory"],
    "rethink": ["consolidation"],
    "update_block": ["block"],
    # their callers append what they record
    "record_quarantines": None,
    "record_updates": None,
    "check_updates": None,
    "record_holds": None,
    "drafts_of_holds": None,
    "open_chain": ["identity"],
    "record_in_new_tenant": None,  # tests/governance/test_fingerprint_schema.py
    "once": None,
    "record": None,
    "record_all": None,
    "append_all": None,
    "hold_back": None,
    "take": None,  # the receipt of what others recorded
    "log": None,
    "require_reader": None,
    "export": None,
    "inclusion": None,
    "consistency": None,
    "last_tree_head": None,
}


#: The same of what acts for nobody in particular. Those of capsules: tests/capsules/test_expire_capsules.py.
OF_ITSELF = {
    "verdicts.expire_edits": ["edit.expired"],
    "policies.apply_due_changes": ["policy.changed"],  # tests/surgery/test_weaker_policy.py
    "expiry.expire_capsules": ["capsule.expired"],
    "expiry.warn_capsules": ["capsule.expiring"],
    "identities.provision": ["agent.created", "identity", "key.issued"],
    "expiry.expire_memories": ["memory.expired"],  # tests/curation/test_expire_memory.py
    "promoting.promote": ["promotion"],  # tests/tiers/test_record_promotions.py
    # tests/ledger/test_authority_follows.py
    "superusers.record_made": ["superuser.made"],
    "sealing.seal": ["seal"],
    "sealing.seal_all": ["seal"],
    "verification.verify": ["ledger.verified"],
    "signing_keys.rotate": ["key.rotated"],  # tests/ledger/test_sign.py
    "fingerprints.record_in_all": ["schema.fingerprinted"],  # tests/ledger/test_fingerprint.py
    # by the person themselves: tests/admin/test_accounts.py
    "second_factor.confirm": ["person.second_factor_on"],
    "second_factor.turn_off": ["person.second_factor_off"],
    # by the person themselves: tests/admin/test_invite_person.py
    "invitations.accept_invitation": ["invitation.accepted", "role.granted"],
}
#: And what changes nothing that the ledger is to tell: readers, and what serves others that do.
WITHOUT_ENTRY = {
    # the alarms: tests/poisoning/test_unusual_recorders.py
    *("daily_counts.days_of", "watching.reported_since", "watching.watch_recorders", "policies.overrides_of"),
    *("tree_heads.publish", "exports.entries", "exports.extent_of", "exports.leaves", "status.obstacles"),
    *("patches.check_patch", "patches.new_salt", "patches.patch_hash", "patches.words_in", "verdicts.pending"),
    *("preview.review_edit", "readers.change"),
    # audiences are sealed rows
    "proposals.intern_audiences",
    # a projection of what is recorded: tests/ledger/test_repair_state.py
    "restoring.restore",
    *("batches.in_effect", "batches.revert_of", "batches.commit_all", "surgery.batch_of"),
    *("restoring.operations_of", "restoring.require_inside", "saving.is_due", "saving.quota"),
    # their rows are sealed: tests/checkpoints/test_prune_checkpoints.py
    *("removing.prune", "removing.delete_files", "sweeping.sweep", "sweeping.sweep_all", "sweeping.verify"),
    *("tenants_to_seal.run", "tenants_to_seal.tenants", "tenants_to_seal.unverified"),
    *("erasures.counts_of", "erasures.executed_scope", "erasures.erasures", "erasures.find_erasure"),
    *("erasures.all_of_agent", "erasures.pending_scope", "erasures.scope_of"),
    *(
        "daily_counts.count_edits",
        "daily_counts.recent",
        "daily_counts.register",
        "daily_counts.roll_up",
        "daily_counts.series",
    ),
    *("idempotency.forget", "notices.since"),
    # rows that seals cover
    *("confidence.decay_confidence", "confidence.changes_of", "confidence.find_use"),
    *("completing.complete_context", "completing.complete_contexts", "counting.count_terms", "linking.link"),
    *("invitations.decline_invitation", "invitations.invitations_of"),
    *(
        "agents.find_agent",
        "speaking.checked",
        "identities.list_keys",
        "identities.tenant_id_of",
        "names.checked_name",
        "passwords.change_password",
    ),
    "superusers.superuser_ids",
    *("proposals.require_proven", "proving.compare", "signed_entries.signed_entries", "status.last_verification"),
    *("status.alarms", "status.count_alarms", "status.set_alarm"),
    *("status.note_sealed", "status.sealed_until", "receipts.read", "receipts.rows_of", "sealing.keys_of"),
    *(
        "appending.append_held",
        "appending.held_back",
        "appending.held_values",
        "appending.require_writable",
        "policies.approvals_for",
        "policies.pending_changes",
        "policies.rules_of",
        "promotion_rules.check",
        "promotion_rules.rules_of",
        "expiry.warning_time",
    ),
    *("fingerprints.compare", "fingerprints.differences_from", "fingerprints.newest", "fingerprints.read"),
    *("fingerprints.reading_once", "fingerprints.unsigned", "fingerprints.with_digest", "status.schema_problems"),
    "proposing.guards",
    # of no tenant, and so in no tenant's ledger
    *("fingerprints.sign", "fingerprints.sign_again"),
    *("shared_secrets.note", "shared_secrets.require_same"),
    *("passwords.renew_hash", "second_factor.begin", "second_factor.is_set_up", "second_factor.pending"),
    *("second_factor.recovery_codes_left", "second_factor.renew_recovery_codes", "second_factor.verify"),
}
