-- Lock a file of a recorder until the end of the transaction, so that its versions are numbered one after the other. A
-- file without versions has no row to lock.
CREATE OR REPLACE FUNCTION lock_file(p_tenant uuid, p_recorder uuid, p_session text, p_path text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(
        json_build_array('file', p_tenant, p_recorder, p_session, p_path)::text, 0));
END $$;
