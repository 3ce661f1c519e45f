-- An export may be what one user wrote and received. It is stored as a public export, so that an older
-- server beside this one writes nothing that its requester may not have.
ALTER TABLE realm_export ADD COLUMN person_id BIGINT REFERENCES account (id);
