-- executable by: suture_app
-- Test writing to the disks of the database: 1 MB to a temporary file, on the tables' disk, and a message to the
-- write-ahead log, which COMMIT flushes. Raises disk_full. Takes no lock, changes no row and needs no context.
CREATE OR REPLACE FUNCTION probe_writing() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET work_mem = '64kB' AS $$
BEGIN
    -- a function's rows that do not fit into work_mem are written to a file
    PERFORM count(*) FROM unnest(array_fill(repeat('x', 8000), ARRAY[128]));
    PERFORM pg_logical_emit_message(true, 'suture', 'readiness');
END $$;
