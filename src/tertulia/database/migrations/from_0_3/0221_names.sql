-- Tables and columns get the words of the field.
-- older servers cannot work with this

ALTER TABLE realm RENAME COLUMN full_members_told_at TO full_members_announced_at;
ALTER TABLE outbox RENAME COLUMN told TO notified;
ALTER TABLE upload RENAME COLUMN awaited_bytes TO expected_bytes;
ALTER TABLE import_run RENAME COLUMN bringer TO imported_by;
ALTER TABLE realm_export RENAME COLUMN asked_at TO requested_at;
ALTER TABLE channel_address RENAME COLUMN made_by TO created_by;
ALTER TABLE session RENAME COLUMN made_at TO created_at;
ALTER TABLE passkey RENAME COLUMN made_at TO created_at;
ALTER TABLE login_token RENAME COLUMN made_at TO created_at;
ALTER TABLE invitation RENAME COLUMN made_at TO created_at;
ALTER TABLE invitation RENAME COLUMN tells_inviter TO notifies_inviter;
ALTER TABLE one_time_link RENAME COLUMN made_at TO created_at;
ALTER TABLE one_time_link RENAME COLUMN asked_from TO requested_from;
DROP INDEX one_time_link_by_asker;
CREATE INDEX one_time_link_by_requester ON one_time_link (realm_id, requested_from, created_at);

ALTER TABLE code_app RENAME COLUMN made_at TO created_at;
ALTER TABLE code_app RENAME TO totp_secret;

ALTER TABLE login_place RENAME COLUMN mark TO fingerprint;
ALTER TABLE login_place RENAME TO known_login;
DROP INDEX login_place_by_age;
CREATE INDEX known_login_by_age ON known_login (realm_id, seen_at);

ALTER TABLE login_departure RENAME COLUMN left_at TO created_at;
ALTER TABLE login_departure RENAME TO pending_login;
DROP INDEX login_departure_by_age;
DROP INDEX login_departure_by_user;
CREATE INDEX pending_login_by_age ON pending_login (realm_id, created_at);
CREATE INDEX pending_login_by_user ON pending_login (user_id);

ALTER TABLE unread RENAME COLUMN closings_seen TO archivals_seen;
ALTER TABLE channel RENAME COLUMN closed_seq TO archived_seq;
ALTER TABLE channel RENAME COLUMN closed_message_id TO archived_message_id;
DROP INDEX channel_by_closing;
CREATE INDEX channel_by_archival ON channel (realm_id, archived_seq) WHERE archived_seq IS NOT NULL;
ALTER TABLE message RENAME COLUMN closed_seq TO archived_seq;
-- In texts of a document the quotes would be escaped.
UPDATE deleted_message SET document = replace(replace(document,
    '"closed_seq":', '"archived_seq":'), '"closed_seq" :', '"archived_seq" :');

DROP INDEX message_calling_everybody;
CREATE INDEX message_with_wildcard ON message (realm_id, id) WHERE channel_wildcard;
DROP INDEX event_turning;
CREATE INDEX event_affecting_delivery ON event (realm_id, seq)
    WHERE kind IN ('channel_changed', 'conversation_begun', 'group_members', 'group_subgroups',
        'joined', 'left', 'realm_changed', 'realm_changed_together', 'role', 'user_activity');
