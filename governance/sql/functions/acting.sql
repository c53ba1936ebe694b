-- The actor of this transaction, from the credential that opened its context. Refuses unless p_tenant is its tenant.
CREATE OR REPLACE FUNCTION acting(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    part text[];
    found acting_context;
BEGIN
    PERFORM require_tenant(p_tenant);
    part := string_to_array(substr(current_setting('suture.context', true), 65), '|');
    found := (part[3]::uuid, part[4], part[5]::uuid, part[6], string_to_array(part[7], ','), string_to_array(part[8], ','),
        nullif(part[9], '')::uuid, nullif(part[10], '')::uuid, nullif(part[11], ''));
    RETURN found;
END $$;
