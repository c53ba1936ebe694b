-- The chunks nearest in meaning to a query, best first: none until chunks have vectors.
CREATE OR REPLACE FUNCTION semantic_candidates(
    p_tenant uuid, p_vector halfvec, p_model text, p_listening text[], p_sensitivities text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int
) RETURNS TABLE (chunk_id uuid, score real) LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN; END $$;

ALTER FUNCTION semantic_candidates OWNER TO suture_gate;
