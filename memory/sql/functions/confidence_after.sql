-- The confidence in a chunk after an outcome: a success adds 0.3 of the difference to 1, a failure subtracts 0.4 of the
-- confidence. docs/promotion.md explains these rates.
CREATE OR REPLACE FUNCTION confidence_after(p_confidence numeric, p_outcome text) RETURNS numeric LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT CASE p_outcome WHEN 'success' THEN round(p_confidence + 0.3 * (1 - p_confidence), 4)
                          WHEN 'failure' THEN round(p_confidence - 0.4 * p_confidence, 4) END
$$;
