-- The confidence in a chunk after 30 days without an outcome: a tenth closer to 0.5, rounded towards it, so that it
-- reaches it.
CREATE OR REPLACE FUNCTION confidence_decayed(p_confidence numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$ SELECT 0.5 + trunc(0.9 * (p_confidence - 0.5), 4) $$;
