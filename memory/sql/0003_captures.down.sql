-- It answers rows of a table that goes.
DROP FUNCTION IF EXISTS latest_of_file;
REVOKE ALL ON memory_capture, memory_captureremoval, memory_fileversion, memory_fileplacement
    FROM suture_gate, suture_app, suture_review;
