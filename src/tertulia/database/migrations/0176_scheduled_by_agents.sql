-- Scheduled messages of agents: they are cancelled when the grant is revoked.
ALTER TABLE scheduled_message ADD COLUMN grant_id BIGINT REFERENCES agent_grant (id) ON DELETE SET NULL;

CREATE INDEX scheduled_message_by_grant ON scheduled_message (grant_id) WHERE grant_id IS NOT NULL;
