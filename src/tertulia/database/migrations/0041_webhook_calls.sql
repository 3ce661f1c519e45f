-- Calls of outgoing webhooks that are still to be made: written with the message that causes them.

CREATE TABLE webhook_call (
    id {serial},
    realm_id BIGINT NOT NULL,
    bot_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    reason TEXT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX webhook_call_by_bot ON webhook_call (bot_id, id);
CREATE INDEX webhook_call_by_message ON webhook_call (message_id);
CREATE INDEX webhook_call_by_realm ON webhook_call (realm_id);
