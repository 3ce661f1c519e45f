-- The row stays when the message is deleted, until devices have removed the notification.
DROP TABLE push_notice;

-- Notifications that a device may still show. Their message may be deleted.
CREATE TABLE push_notice (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notice_by_due ON push_notice (due_at);
CREATE INDEX push_notice_by_realm ON push_notice (realm_id);

-- How it is reached: Web Push, or messages to an ntfy or Gotify server.
ALTER TABLE push_subscription ADD COLUMN kind TEXT NOT NULL DEFAULT 'web';
