-- executable by: suture_app
-- Note and risks of capsules by id, as a reader in the channels p_listening may see them now: no row for a capsule that
-- is retracted, blocked, quarantined, too sensitive, or refused to the reader. An agent that reads its own bundle is in
-- the audience, so only expiry and revocation can refuse it.
CREATE OR REPLACE FUNCTION get_capsule_words(
    p_tenant uuid, p_ids uuid[], p_listening text[],
    p_include_quarantined boolean
) RETURNS TABLE (id uuid, note text, risks text, content_hash text) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT r.capsule_id, r.note, r.risks, r.content_hash
    FROM capsule_rows(p_tenant, p_ids, p_listening, v_reader, p_include_quarantined) r
    CROSS JOIN LATERAL (
        SELECT y.* FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = r.capsule_id LIMIT 1) x
    WHERE why_capsule_hidden(x, p_listening, v_reader, p_include_quarantined) IS NULL
      AND capsule_refusal(p_tenant, r.capsule_id, me.kind, me.id) IS NULL;
END $$;
