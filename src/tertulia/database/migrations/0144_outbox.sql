-- older servers cannot work with this
-- One outbox for everything that is sent to other machines: mails, calls of webhooks, push
-- notifications and registrations of phones. Rows of one lane are sent one after the other.
CREATE TABLE outbox (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    transport TEXT NOT NULL,
    kind TEXT NOT NULL,
    lane BIGINT,
    user_id BIGINT REFERENCES account (id),
    message_id BIGINT REFERENCES message (id),
    device_id BIGINT REFERENCES device (id),
    sealed {blob},
    told TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);

INSERT INTO outbox (realm_id, transport, kind, sealed, created_at, due_at, tries)
    SELECT realm_id, 'mail', kind, sealed, written_at, due_at, tries FROM letter ORDER BY id;
INSERT INTO outbox (realm_id, transport, kind, lane, user_id, message_id, created_at, due_at, tries)
    SELECT c.realm_id, 'webhook', c.reason, c.bot_id, c.bot_id, c.message_id, m.sent_at, c.due_at, c.tries
    FROM webhook_call c JOIN message m ON m.id = c.message_id ORDER BY c.id;
INSERT INTO outbox (realm_id, transport, kind, lane, user_id, message_id, told, created_at, due_at, tries)
    SELECT n.realm_id, 'push', n.reason, n.user_id, n.user_id, n.message_id, n.told, m.sent_at, n.due_at, n.tries
    FROM push_notice n JOIN message m ON m.id = n.message_id WHERE NOT n.sent ORDER BY n.message_id;
INSERT INTO outbox (realm_id, transport, kind, lane, user_id, device_id, created_at, due_at, tries)
    SELECT realm_id, 'device', '', id, user_id, id, pending_since, due_at, tries
    FROM device WHERE due_at IS NOT NULL AND pending_since IS NOT NULL ORDER BY id;

CREATE INDEX outbox_due ON outbox (transport, due_at);
CREATE INDEX outbox_by_message ON outbox (message_id);
CREATE INDEX outbox_by_user ON outbox (user_id);
CREATE INDEX outbox_by_device ON outbox (device_id);
CREATE INDEX outbox_by_realm ON outbox (realm_id);
CREATE UNIQUE INDEX outbox_push ON outbox (user_id, message_id) WHERE transport = 'push';

DROP TABLE letter;
DROP TABLE webhook_call;

-- What remains are notifications that a device may still show.
DELETE FROM push_notice WHERE NOT sent;
DROP INDEX push_notice_shown;
ALTER TABLE push_notice DROP COLUMN sent;
ALTER TABLE push_notice DROP COLUMN tries;
ALTER TABLE push_notice DROP COLUMN told;
ALTER TABLE push_notice DROP COLUMN reason;

DROP INDEX device_by_due;
ALTER TABLE device DROP COLUMN due_at;
ALTER TABLE device DROP COLUMN tries;
