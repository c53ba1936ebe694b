-- The web server names the newest one in the ledger of a new tenant. Only the owner writes them.
GRANT SELECT ON governance_schemafingerprint TO suture_app;
