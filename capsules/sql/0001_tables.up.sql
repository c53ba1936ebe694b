-- What Django models cannot express about capsules' tables: the row types of functions and the privileges of roles.

-- A capsule for a reader. `withheld` says why there are no words: `sensitivity`, `blocked` or `erased`. With a
-- `refusal` (see capsule_refusal) all other columns are NULL.
CREATE TYPE capsule_row AS (
    refusal text, capsule_id uuid, status text, created_at timestamptz, expires_at timestamptz, scope text, subject_type text,
    subject_id text, project_id text, author text, forwards_id uuid, may_forward boolean, item_count int,
    audience_count int, importance numeric, is_quarantined boolean, edits_applied int, revoked_at timestamptz,
    warned_at timestamptz, withheld text, note text, risks text, content_hash text
);

GRANT SELECT ON capsules_capsule, capsules_capsuleitem, capsules_capsuleaudience, capsules_effectivecapsule
    TO suture_gate, suture_app, suture_review;

GRANT INSERT ON capsules_capsule, capsules_capsuleitem, capsules_capsuleaudience, capsules_effectivecapsule
    TO suture_gate;
GRANT UPDATE ON capsules_effectivecapsule TO suture_gate;
GRANT DELETE ON capsules_effectivecapsule TO suture_gate;  -- a repair deletes a row and creates it again
