-- executable by: suture_app
-- Write to both disks of the database and keep nothing: 1 MB in a temporary file, beside the tables, and a message in the
-- write-ahead log, which COMMIT flushes. Raises disk_full. Takes no lock, changes no row and needs no context.
CREATE OR REPLACE FUNCTION probe_writing() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET work_mem = '64kB' AS $$
BEGIN
    -- rows of a function that do not fit into work_mem go to a file
    PERFORM count(*) FROM unnest(array_fill(repeat('x', 8000), ARRAY[128]));
    PERFORM pg_logical_emit_message(true, 'suture', 'readiness');
END $$;
