-- Accounts: failed logins (django-axes) and second factors (django-otp). Like sessions they belong to people, not to
-- a tenant. A lockout that ends and a second factor that is switched off are deleted rows.
GRANT SELECT, INSERT, UPDATE, DELETE ON axes_accessattempt, axes_accessattemptexpiration, otp_totp_totpdevice,
    otp_static_staticdevice, otp_static_statictoken TO suture_app;
