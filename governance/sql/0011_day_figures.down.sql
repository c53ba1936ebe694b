REVOKE ALL ON governance_dayfigure FROM suture_app;
