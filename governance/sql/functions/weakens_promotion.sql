-- Whether promotion thresholds would promote memory sooner than those in force, or let more agents promote it.
CREATE OR REPLACE FUNCTION weakens_promotion(p_tenant uuid, p_promotion jsonb) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE present jsonb := promotion_rules(p_tenant);
BEGIN
    RETURN EXISTS (
        SELECT FROM jsonb_each(p_promotion) r
        WHERE CASE WHEN r.key = 'promoting_agents' THEN NOT r.value <@ (present -> r.key)
            WHEN r.key <> 'unused_days' THEN r.value::text::numeric < (present ->> r.key)::numeric END);
END $$;
