-- An agent takes an offered session.
GRANT UPDATE ON memory_sessionshare TO suture_gate;
