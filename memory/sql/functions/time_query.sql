-- The terms of the time spans from one shortest span to another. They may begin up to an eighth too early, to save
-- terms, because each is one more list to merge.
CREATE OR REPLACE FUNCTION time_query(p_tenant uuid, p_from bigint, p_until bigint) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    span bigint := p_from;
    level int := 0;
    terms text[] := '{}';
BEGIN
    WHILE span <= p_until >> 3 * level LOOP
        IF level < 5 AND (span % 8 = 0 OR (p_until - p_from) >> 3 * level >= 64) THEN
            span := span >> 3; level := level + 1;
        ELSE
            terms := terms || format(' time %s %s', level, span);
            span := span + 1;
        END IF;
    END LOOP;
    RETURN term_query(p_tenant, VARIADIC terms);
END $$;
