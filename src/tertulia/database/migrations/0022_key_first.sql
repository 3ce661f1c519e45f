-- What comes before the key of a table without row ids is taken for empty when SQLite 3.40 looks at
-- the integrity of a database. So the key stands first.

ALTER TABLE attachment_message RENAME TO attachment_message_before;
DROP INDEX attachment_message_by_message;
CREATE TABLE attachment_message (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, message_id)
){clustered};
INSERT INTO attachment_message (attachment_id, message_id, realm_id)
    SELECT attachment_id, message_id, realm_id FROM attachment_message_before;
DROP TABLE attachment_message_before;
CREATE INDEX attachment_message_by_message ON attachment_message (message_id);

ALTER TABLE attachment_scheduled RENAME TO attachment_scheduled_before;
DROP INDEX attachment_scheduled_by_message;
CREATE TABLE attachment_scheduled (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    scheduled_id BIGINT NOT NULL REFERENCES scheduled_message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, scheduled_id)
){clustered};
INSERT INTO attachment_scheduled (attachment_id, scheduled_id, realm_id)
    SELECT attachment_id, scheduled_id, realm_id FROM attachment_scheduled_before;
DROP TABLE attachment_scheduled_before;
CREATE INDEX attachment_scheduled_by_message ON attachment_scheduled (scheduled_id);
