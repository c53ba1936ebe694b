-- executable by: suture_app
-- Decay the confidence in chunks without an outcome for 30 days at the time p_now: one change for every full 30 days
-- since the last outcome or other change. Processes up to p_limit chunks with an id above p_after whose confidence is
-- not 0.5; returns the last of them, NULL if there is none, and the number of changes. For jobs, any number at once.
CREATE OR REPLACE FUNCTION decay_confidence(
    p_tenant uuid, p_now timestamptz, p_after uuid, p_limit int, OUT last uuid, OUT changes int
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    one record;
    v_now numeric;
    v_steps int;
BEGIN
    PERFORM require_job(p_tenant);
    changes := 0;
    FOR one IN
        SELECT a.id FROM memory_chunkaccess a
        WHERE a.tenant_id = p_tenant AND a.id > p_after AND a.confidence <> 0.5 ORDER BY a.id LIMIT p_limit
    LOOP
        last := one.id;
        -- Check before locking, because most are not due, and again afterwards.
        CONTINUE WHEN decay_steps(p_tenant, one.id, p_now) = 0;
        v_now := lock_access(p_tenant, one.id);
        v_steps := decay_steps(p_tenant, one.id, p_now);
        WHILE v_steps > 0 AND v_now <> 0.5 LOOP
            v_now := confidence_decayed(v_now);
            PERFORM change_confidence(p_tenant, one.id, 'decay', v_now, p_now, '', NULL, false);
            changes := changes + 1;
            v_steps := v_steps - 1;
        END LOOP;
    END LOOP;
END $$;
