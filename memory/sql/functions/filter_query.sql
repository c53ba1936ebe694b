-- The terms of a search's filters; a NULL filter adds none. These terms narrow the index scan, and is_about makes the
-- final check. With a narrower filter, scope and subject type are omitted: each would add a long list to read.
CREATE OR REPLACE FUNCTION filter_query(
    p_tenant uuid, p_channels text[], p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text
) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    q tsquery := '';
    filter text;
BEGIN
    FOREACH filter IN ARRAY array_remove(ARRAY[
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0 THEN ' scope ' || p_scope END,
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0
             THEN ' subject_type ' || p_subject_type END,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id], NULL)
    LOOP
        q := q && term_query(p_tenant, filter);
    END LOOP;
    IF cardinality(p_channels) < 4 THEN
        q := q && term_query(p_tenant, VARIADIC ARRAY(SELECT ' channel ' || c FROM unnest(p_channels) c));
    END IF;
    RETURN q;
END $$;
