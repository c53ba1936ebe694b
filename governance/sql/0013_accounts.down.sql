REVOKE ALL ON axes_accessattempt, axes_accessattemptexpiration, otp_totp_totpdevice, otp_static_staticdevice,
    otp_static_statictoken FROM suture_app;
