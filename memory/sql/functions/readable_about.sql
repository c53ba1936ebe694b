-- executable by: suture_app
-- What an agent with a key of every channel reads on behalf of a principal about a subject, for people: the newest p_limit
-- chunks from (p_before_ts, p_before_id) on downwards. `why` is the reason that hides a chunk (why_hidden), `because` names
-- the principal's usersets by which it hears the chunk's audiences.
CREATE OR REPLACE FUNCTION readable_about(
    p_tenant uuid, p_principal text, p_subject_type text, p_subject_id text, p_before_ts timestamptz, p_before_id uuid,
    p_limit int
) RETURNS TABLE (chunk_id uuid, ts timestamptz, text text, channel text, sensitivity text, source text, recorder text,
    why text, because text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    found text[] := usersets_of(p_tenant, p_principal);
    asked reader := ('{"",private,public,team,agent,none,low,high}', false, audiences_heard(p_tenant, found));
BEGIN
    PERFORM acting_person(p_tenant);
    RETURN QUERY
    SELECT x.id, x.ts, x.text, x.channel, x.sensitivity, x.source, x.recorder,
        why_chunk_hidden(x, '{}', asked, false), ARRAY(
            SELECT DISTINCT y.userset FROM governance_audienceuserset y
            WHERE y.tenant_id = p_tenant AND y.userset = ANY (found) AND y.number = ANY (x.audience) ORDER BY 1)
    FROM memory_effectivechunk x
    WHERE x.tenant_id = p_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
      AND NOT x.is_retracted
      AND x.ts <= coalesce(p_before_ts, 'infinity') AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
    ORDER BY x.ts DESC, x.id DESC LIMIT p_limit;
END $$;
