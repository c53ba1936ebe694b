-- executable by: suture_app
-- Record a value, the target of edits that forget or replace it everywhere within its reach. p_reach is a JSON object
-- whose keys are columns of memory_value. Returns the reason of such an edit without the value, since the ledger keeps reasons.
CREATE OR REPLACE FUNCTION record_value(p_tenant uuid, p_id uuid, p_value text, p_reach jsonb, p_reason text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    salt bytea := uuid_send(gen_random_uuid());
    content uuid := new_id();
    r memory_value := jsonb_populate_record(NULL::memory_value, p_reach);
BEGIN
    PERFORM require_value(p_tenant, p_value);
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    VALUES (p_tenant, content, salt, p_value, sha256(salt || convert_to(p_value, 'UTF8')));
    INSERT INTO memory_value (tenant_id, id, content_id, subject_type, subject_id, project_id, session_id, by_recorder,
        channel, since, until, ends_at, recorder_kind, recorded_by, recorder, recorded_at, retention)
    VALUES (p_tenant, p_id, content, r.subject_type, r.subject_id, r.project_id, r.session_id, r.by_recorder, r.channel,
        r.since, r.until, r.ends_at, me.kind, me.id, me.name, clock_timestamp(), 'relationship');
    RETURN without_words(p_reason, value_words(p_value));
END $$;
