-- executable by: suture_app
-- The job that expires memory: removes everything derived from the text of up to p_limit expired chunks. Readers do not
-- get them from their expiry on, even before the job runs (why_chunk_hidden). Returns their ids; the job owes the
-- ledger an entry that mentions them.
CREATE OR REPLACE FUNCTION expire_memories(p_tenant uuid, p_limit int) RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE due uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    due := ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.expires_at <= statement_timestamp() AND x.expires_at IS NOT NULL
          AND NOT x.is_expired
        ORDER BY x.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    IF due = '{}' THEN RETURN; END IF;
    UPDATE memory_effectivechunk x SET is_expired = true, text = NULL, tsv = NULL, lex = NULL, metadata = NULL
    WHERE x.tenant_id = p_tenant AND x.id = ANY (due);
    PERFORM void_derived(p_tenant, due);
    PERFORM owe_entry(p_tenant, 'memory.expired', VARIADIC ARRAY(SELECT i::text FROM unnest(due) i));
    RETURN QUERY SELECT unnest(due);
END $$;
