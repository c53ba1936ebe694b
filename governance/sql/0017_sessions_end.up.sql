-- A one-time password of before is good for a week from now.
UPDATE governance_user SET one_time_password_until = statement_timestamp() + interval '7 days'
WHERE has_one_time_password;
