REVOKE SELECT, INSERT, UPDATE ON governance_sharedsecret FROM suture_gate;
