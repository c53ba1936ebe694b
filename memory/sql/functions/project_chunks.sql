-- Insert the projection rows of recorded chunks, without edits; without words if those were erased. Few chunks get the
-- vector of their words, with what the turns before them lend, at once; of an import, the job computes it
-- (complete_context), which also lends what comes later to what came before. They are found by their words at once.
CREATE OR REPLACE FUNCTION project_chunks(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    is_import constant boolean := cardinality(p_chunks) > 25;
    chunk uuid;
    beside uuid;
BEGIN
    IF is_import THEN
        PERFORM insert_projections(p_tenant, p_chunks, false);
    ELSE
        FOR chunk IN
            SELECT k.id FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
            ORDER BY k.session_id, k.ts, k.id
        LOOP
            -- an edit that hides a neighbour is over before this reads it, or else waits and then corrects this
            FOREACH beside IN ARRAY surroundings_of(p_tenant, ARRAY[chunk]) LOOP
                PERFORM 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = beside FOR KEY SHARE;
            END LOOP;
            PERFORM insert_projections(p_tenant, ARRAY[chunk], true);
        END LOOP;
    END IF;
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded)
    SELECT p_tenant, k.id, false FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
    WHERE is_import OR k.session_id IS NOT NULL
    ON CONFLICT DO NOTHING;
END $$;

ALTER FUNCTION project_chunks OWNER TO suture_gate;
