-- The default promotion thresholds; docs/promotion.md explains each.
CREATE OR REPLACE FUNCTION standard_promotion_rules() RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT '{"uses_in_session": 2, "sessions": 3, "successes": 1, "confidence": 0.8, "confidence_days": 7,
        "unused_days": 90, "low_trust": 0.3, "promoting_agents": []}'::jsonb
$$;
