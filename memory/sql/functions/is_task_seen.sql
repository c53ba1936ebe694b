-- Whether a task may be seen by those listening.
CREATE OR REPLACE FUNCTION is_task_seen(
    x memory_effectivetask, p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening, p_sensitivities,
        p_include_quarantined) IS NULL
$$;

ALTER FUNCTION is_task_seen OWNER TO suture_gate;
