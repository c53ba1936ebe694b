-- Hold the chunks of a file's new version that share eight consecutive words with corrected chunks of the previous
-- version: a changed file must not restore what an edit hid or changed. A chunk that is already hidden stays as it is.
CREATE OR REPLACE FUNCTION hold_reworded(p_tenant uuid, p_path text, p_corrected uuid[], p_new uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    runs text[];
    c record;
    author acting_context;
BEGIN
    IF p_corrected = '{}' OR p_new = '{}' THEN RETURN; END IF;
    runs := ARRAY(
        SELECT DISTINCT ' ' || array_to_string(w.said[i:i + 7], ' ') || ' '
        FROM unnest(p_corrected) t (id) CROSS JOIN LATERAL chunk_of(p_tenant, t.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) b
        CROSS JOIN LATERAL (SELECT string_to_array(normal_text(b.body), ' ') AS said) w
        CROSS JOIN LATERAL generate_series(1, greatest(cardinality(w.said) - 7, 1)) i);
    FOR c IN
        SELECT x.id, x.sensitivity, x.recorded_by, x.recorder, k.recorder_kind
        FROM unnest(p_new) t (id) CROSS JOIN LATERAL chunk_of(p_tenant, t.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) b
        CROSS JOIN LATERAL (SELECT ' ' || normal_text(b.body) || ' ' AS said OFFSET 0) w
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = t.id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        WHERE EXISTS (SELECT FROM unnest(runs) r (run) WHERE strpos(w.said, r.run) > 0)
        ORDER BY x.id
    LOOP
        author := (p_tenant, c.recorder_kind, c.recorded_by, c.recorder, '{}'::text[], '{}'::text[], NULL::uuid, NULL::uuid, NULL::text);
        PERFORM hold_target(p_tenant, 'chunk', c.id, 'changed-file', author,
            format('%s changed where its memory was corrected.', left(p_path, 500)),
            format('Show this part of %s again. The file changed where its memory was corrected: does it repeat what was '
                'corrected?', left(p_path, 500)),
            greatest(1, approvals_for(p_tenant, 'revert', c.recorder_kind, c.sensitivity)));
    END LOOP;
END $$;
