-- A UUIDv7 (RFC 9562); PostgreSQL has a function for it only from version 18. It is a version 4 UUID with the first 48
-- bits replaced by the milliseconds since 1970 and the version bits 0100 changed to 0111.
CREATE OR REPLACE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;
