-- Django's own tables, which have no tenant: accounts, sessions, the admin's log.
GRANT SELECT, INSERT, UPDATE, DELETE ON governance_user_groups, governance_user_user_permissions, auth_group,
    auth_group_permissions, django_session TO suture_app;
GRANT SELECT, INSERT ON django_admin_log TO suture_app;
GRANT SELECT ON auth_permission, django_content_type TO suture_app;
