REVOKE SELECT ON governance_schemafingerprint FROM suture_app;
