-- The digest of a normalized text.
CREATE OR REPLACE FUNCTION normal_digest(p_text text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$ SELECT sha256(convert_to(normal_text(p_text), 'UTF8')) $$;
