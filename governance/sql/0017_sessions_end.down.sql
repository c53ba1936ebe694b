UPDATE governance_user SET has_one_time_password = true WHERE one_time_password_until IS NOT NULL;
