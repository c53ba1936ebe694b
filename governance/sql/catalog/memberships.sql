-- Memberships of roles. Several grantors may have granted the same.
SELECT m.roleid::int8, m.member::int8, bool_or(m.admin_option), bool_or(m.inherit_option), bool_or(m.set_option)
FROM pg_catalog.pg_auth_members m WHERE m.member <> 10 GROUP BY 1, 2
