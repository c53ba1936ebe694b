-- The fingerprints of the secrets that all nodes share: nobody reads or writes them but through the gate.
GRANT SELECT, INSERT, UPDATE ON governance_sharedsecret TO suture_gate;
