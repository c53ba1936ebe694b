REVOKE ALL ON governance_user_groups, governance_user_user_permissions, auth_group, auth_group_permissions,
    django_session, django_admin_log, auth_permission, django_content_type FROM suture_app;
