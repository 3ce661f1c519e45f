-- Agents: programs that users allow to act for them. A grant says where and until when; codes and
-- tokens are stored as hashes. A position is how
-- far an agent has confirmed to have read.
CREATE TABLE agent_client (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    client_id TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE UNIQUE INDEX agent_client_by_client_id ON agent_client (realm_id, client_id);

CREATE TABLE agent_grant (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    client_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    channels TEXT NOT NULL,
    direct_messages BOOLEAN NOT NULL,
    presence BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    used_at DOUBLE PRECISION
);
CREATE INDEX agent_grant_by_user ON agent_grant (user_id);
CREATE INDEX agent_grant_by_realm ON agent_grant (realm_id, client_id);

CREATE TABLE agent_code (
    fingerprint {blob} NOT NULL PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    grant_id BIGINT NOT NULL REFERENCES agent_grant (id),
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION
);
CREATE INDEX agent_code_by_grant ON agent_code (grant_id);
CREATE INDEX agent_code_by_realm ON agent_code (realm_id);

CREATE TABLE agent_token (
    fingerprint {blob} NOT NULL PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    grant_id BIGINT NOT NULL REFERENCES agent_grant (id),
    kind TEXT NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    replaced_at DOUBLE PRECISION
);
CREATE INDEX agent_token_by_grant ON agent_token (grant_id);
CREATE INDEX agent_token_by_realm ON agent_token (realm_id);

CREATE TABLE agent_position (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    name TEXT NOT NULL,
    read_up_to BIGINT NOT NULL
);
CREATE INDEX agent_position_by_user ON agent_position (user_id, name);
CREATE INDEX agent_position_by_grant ON agent_position (grant_id);
CREATE INDEX agent_position_by_realm ON agent_position (realm_id);
