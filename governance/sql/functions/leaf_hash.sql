-- The hash of a leaf: SHA-256 over 0x00 and the row as JSON (RFC 6962, 2.1).
CREATE OR REPLACE FUNCTION leaf_hash(p_row jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$ SELECT sha256('\x00'::bytea || convert_to(p_row::text, 'UTF8')) $$;
