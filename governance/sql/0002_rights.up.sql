-- What models cannot say of their tables: keys over several columns, what an index is made of, and the rights of roles.

-- A verdict belongs to the proposal as it was reviewed: this proposer, this patch.
ALTER TABLE governance_verdict ADD CONSTRAINT verdict_of_edit_as_reviewed
    FOREIGN KEY (tenant_id, edit_id, proposed_by, patch_sha256)
    REFERENCES governance_edit (tenant_id, id, proposed_by, patch_sha256);

ALTER TABLE governance_erasurestate ADD CONSTRAINT erasure_state_of_erasure_as_proposed
    FOREIGN KEY (tenant_id, erasure_id, proposed_by) REFERENCES governance_erasure (tenant_id, id, proposed_by);

-- The planner's statistics quote values of a column, words here. Nothing is ever asked of the body, so none are kept.
ALTER TABLE governance_content ALTER COLUMN body SET STATISTICS 0;

-- Ids and the actor of an entry, as its metadata names them. Lists of ids too, as long as they are lists of texts.
CREATE FUNCTION entry_mentions(p_metadata jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT m), '{}') FROM (
        SELECT v #>> '{}' AS m FROM jsonb_each(p_metadata) e (k, v) WHERE jsonb_typeof(v) = 'string'
        UNION ALL
        SELECT l #>> '{}' FROM jsonb_each(p_metadata) e (k, v)
            CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(v) = 'array' THEN v ELSE '[]' END) l
            WHERE jsonb_typeof(l) = 'string'
        UNION ALL SELECT p_metadata #>> '{actor,id}'
        UNION ALL SELECT p_metadata #>> '{actor,name}'
    ) x WHERE length(m) BETWEEN 1 AND 200
$$;

GRANT EXECUTE ON FUNCTION entry_mentions TO suture_gate;

-- entries that mention something (entries_mentioning)
CREATE INDEX entry_mentions ON governance_entry USING gin (tenant_id, entry_mentions(metadata))
    WITH (gin_pending_list_limit = 256);

-- No change of roles, keys, accounts or policies commits without its entry in the ledger.
CREATE CONSTRAINT TRIGGER entry_is_appended AFTER INSERT ON governance_owedentry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION governance_refuse_owed_entry();
ALTER TABLE governance_owedentry ENABLE ALWAYS TRIGGER entry_is_appended;

-- The gate: what its functions read and write.
GRANT SELECT ON governance_tenant, governance_agent, governance_apikey, governance_membership, governance_invitation,
    governance_user,
    governance_policyrule, governance_policychange, governance_policychangestate, governance_owedentry, governance_content, governance_erasedcontent, governance_edit,
    governance_editstate, governance_verdict, governance_chain, governance_entry, governance_erasure,
    governance_erasurestate, governance_erasureitem, governance_leaf, governance_merkletree, governance_treenode,
    governance_accessrecord TO suture_gate;
GRANT INSERT ON governance_tenant, governance_agent, governance_apikey, governance_membership, governance_invitation,
    governance_user,
    governance_policyrule, governance_policychange, governance_policychangestate, governance_owedentry,
    governance_content, governance_erasedcontent, governance_edit, governance_editstate, governance_verdict,
    governance_chain, governance_entry, governance_erasure, governance_erasurestate, governance_erasureitem,
    governance_leaf, governance_merkletree, governance_treenode, governance_accessrecord TO suture_gate;
GRANT UPDATE ON governance_editstate, governance_chain, governance_merkletree, governance_erasurestate TO suture_gate;
GRANT UPDATE (policy, pending_edit_days, default_sensitivities, search_language, hybrid_alpha, ephemeral_hours,
    promotion_rules, promotion_cursor) ON governance_tenant TO suture_gate;
GRANT UPDATE (is_active) ON governance_agent, governance_membership TO suture_gate;
GRANT UPDATE (reads_quarantined) ON governance_agent TO suture_gate;
GRANT UPDATE (status, answered_at) ON governance_invitation TO suture_gate;
GRANT UPDATE (revoked_at, last_used_at) ON governance_apikey TO suture_gate;
GRANT UPDATE (password, one_time_password_until, is_active, sessions_ended, reset_at, reset_by) ON governance_user TO suture_gate;
GRANT UPDATE (status, decided_by, decider, decided_at, takes_effect_at) ON governance_policychangestate TO suture_gate;
GRANT DELETE ON governance_content, governance_policyrule, governance_owedentry TO suture_gate;
GRANT SELECT, INSERT ON governance_receipt TO suture_gate;
GRANT SELECT, INSERT, DELETE ON governance_unsealedreceipt TO suture_gate;
-- the fingerprints of the secrets that all nodes share: nobody reads or writes them but through the gate
GRANT SELECT, INSERT, UPDATE ON governance_sharedsecret TO suture_gate;
GRANT SELECT, INSERT, DELETE ON otp_totp_totpdevice, otp_static_staticdevice, otp_static_statictoken TO suture_gate;
GRANT UPDATE (confirmed) ON otp_totp_totpdevice TO suture_gate;

-- The web's own rights. Not a word (content), and nothing that only the gate writes.
GRANT SELECT ON governance_edit, governance_editstate, governance_verdict, governance_chain, governance_entry,
    governance_erasure, governance_erasurestate, governance_erasureitem, governance_erasedcontent, governance_leaf,
    governance_merkletree, governance_treenode, governance_accessrecord, governance_policyrule, governance_policychange,
    governance_policychangestate, governance_tenant, governance_agent, governance_apikey, governance_membership,
    governance_invitation, governance_user TO suture_app;
GRANT INSERT ON governance_accessrecord TO suture_app;
-- the newest one is named in the ledger of a new tenant; only the owner writes them
GRANT SELECT ON governance_schemafingerprint TO suture_app;
GRANT UPDATE (last_login) ON governance_user TO suture_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON governance_idempotencykey TO suture_app;
-- counts that a job keeps: no record, and made again from it
GRANT SELECT, INSERT, UPDATE ON governance_dayfigure TO suture_app;

-- Django's own tables, which have no tenant: sessions, failed logins (django-axes), second factors (django-otp), the
-- admin's log. A lockout that ends and a recovery code that was used are deleted rows.
GRANT SELECT, INSERT, UPDATE, DELETE ON django_session, axes_accessattempt, axes_accessattemptexpiration TO suture_app;
GRANT SELECT, INSERT ON django_admin_log TO suture_app;
GRANT SELECT ON governance_user_groups, governance_user_user_permissions, auth_group, auth_group_permissions,
    auth_permission, django_content_type, otp_totp_totpdevice, otp_static_staticdevice, otp_static_statictoken
    TO suture_app;
-- of second factors, that one was used or tried (governance/models/second_factors.py)
GRANT UPDATE (throttling_failure_timestamp, throttling_failure_count, last_used_at, last_t, drift)
    ON otp_totp_totpdevice TO suture_app;
GRANT UPDATE (throttling_failure_timestamp, throttling_failure_count, last_used_at) ON otp_static_staticdevice
    TO suture_app;
GRANT DELETE ON otp_static_statictoken TO suture_app;

GRANT SELECT ON governance_content, governance_tenant, governance_edit, governance_editstate, governance_verdict
    TO suture_review;

-- An edit as the fold takes it: one that is applied, or one that is not recorded yet, as if it were applied last. The
-- latter may have words that no content row holds: then `body` is their text, and `content_id` a value that stands for
-- them.
CREATE TYPE applied_edit AS (
    id uuid, op text, target_id uuid, content_id uuid, importance numeric, importance_delta numeric, channel text,
    reverts_id uuid, applied_at timestamptz, body text
);

-- What the fold makes of a target. `words` is a JSON object of its text and of what else its kind says, by the names
-- of the fields of a patch; of an erased text null. `found_by` is what search finds the text by.
CREATE TYPE target_preview AS (
    sensitivity text, words jsonb, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int, found_by text[]
);
