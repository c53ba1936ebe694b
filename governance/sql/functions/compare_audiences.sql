-- executable by: suture_app, suture_review
-- What changes if a record with the audience p_before gets p_after: the usersets that only one of them has, and the first
-- 100 principals, and how many, that hear only one of them. With the default as p_before nobody gains it, and as p_after
-- nobody loses it. p_usersets are those of the number -1 (known_audience).
CREATE OR REPLACE FUNCTION compare_audiences(
    p_tenant uuid, p_before int[], p_after int[], p_usersets text[],
    OUT added text[], OUT removed text[], OUT gaining text[], OUT gain bigint, OUT losing text[], OUT lose bigint
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    WITH had AS (
        SELECT unnest(usersets_of_audience(p_tenant, n, p_usersets)) AS u FROM unnest(p_before) n
    ), gets AS (
        SELECT unnest(usersets_of_audience(p_tenant, n, p_usersets)) AS u FROM unnest(p_after) n
    )
    SELECT ARRAY(SELECT g.u COLLATE "C" FROM gets g EXCEPT SELECT h.u FROM had h ORDER BY 1),
        ARRAY(SELECT h.u COLLATE "C" FROM had h EXCEPT SELECT g.u FROM gets g ORDER BY 1)
    INTO added, removed;
    WITH had AS MATERIALIZED (
        SELECT h COLLATE "C" AS principal FROM hearers_of(p_tenant, p_before, p_usersets) h
    ), gets AS MATERIALIZED (
        SELECT h COLLATE "C" AS principal FROM hearers_of(p_tenant, p_after, p_usersets) h
    ), gains AS MATERIALIZED (
        SELECT g.principal FROM gets g WHERE coalesce(cardinality(p_before), 0) > 0 EXCEPT SELECT h.principal FROM had h
    ), losses AS MATERIALIZED (
        SELECT h.principal FROM had h WHERE coalesce(cardinality(p_after), 0) > 0 EXCEPT SELECT g.principal FROM gets g
    )
    SELECT ARRAY(SELECT g.principal FROM gains g ORDER BY 1 LIMIT 100), (SELECT count(*) FROM gains),
        ARRAY(SELECT l.principal FROM losses l ORDER BY 1 LIMIT 100), (SELECT count(*) FROM losses)
    INTO gaining, gain, losing, lose;
END $$;
