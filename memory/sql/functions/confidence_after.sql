-- The confidence in a chunk after an outcome: a success takes away 0.3 of what is missing to 1, a failure 0.4 of what there
-- is. The reasons for these rates are in docs/promotion.md.
CREATE OR REPLACE FUNCTION confidence_after(p_confidence numeric, p_outcome text) RETURNS numeric LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT CASE p_outcome WHEN 'success' THEN round(p_confidence + 0.3 * (1 - p_confidence), 4)
                          WHEN 'failure' THEN round(p_confidence - 0.4 * p_confidence, 4) END
$$;
