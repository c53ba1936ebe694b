-- The highest sensitivity of memory that the actor received in a session: in the context bundles that it built for the
-- session, and in the session itself, the newest 10,000 chunks that its key may read.
CREATE OR REPLACE FUNCTION sensitivity_given(p_tenant uuid, p_session_id text) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    heard text[] := CASE WHEN me.channels && '{private,team}' THEN '{low,high}' ELSE '{low}' END;
    given text;
    said text;
BEGIN
    SELECT b.sensitivity INTO given FROM memory_contextbundle b
    WHERE b.tenant_id = v_tenant AND b.actor_id = me.id AND b.request ->> 'session_id' = p_session_id
      AND b.sensitivity IN ('low', 'high')
    ORDER BY b.sensitivity LIMIT 1;  -- high comes first
    SELECT min(s.sensitivity) INTO said FROM (
        SELECT x.sensitivity, x.channel FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id AND NOT x.is_retracted
        ORDER BY x.ts DESC LIMIT 10000
    ) s
    WHERE s.sensitivity = ANY (heard) AND s.channel = ANY (me.channels);
    RETURN more_sensitive(coalesce(given, 'none'), coalesce(said, 'none'));
END $$;
