-- When a record was recorded whose id the database made: the first 48 bits of the id are milliseconds. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION recorded_at(p_id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
