-- What a session is at the SAML provider that has vouched for it, so that both can end together: whom
-- the provider means and which session there, as fingerprints, and what it has to be told, sealed.
ALTER TABLE session ADD COLUMN provider_person {blob};
ALTER TABLE session ADD COLUMN provider_mark {blob};
ALTER TABLE session ADD COLUMN provider_sealed {blob};
CREATE INDEX session_by_provider ON session (realm_id, provider_person);
