-- Counts that the job of the web's own role keeps: no record, and made again from it.
GRANT SELECT, INSERT, UPDATE ON governance_dayfigure TO suture_app;
