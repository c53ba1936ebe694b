-- What Django models cannot express about captured memory: rights. None of these tables has words.

-- What the gate's functions read and write.
GRANT SELECT, INSERT ON memory_capture, memory_captureremoval, memory_fileversion, memory_fileplacement TO suture_gate;

-- The web role's own privileges.
GRANT SELECT ON memory_capture, memory_captureremoval, memory_fileversion, memory_fileplacement TO suture_app;
GRANT SELECT ON memory_capture, memory_fileversion, memory_fileplacement TO suture_review;
