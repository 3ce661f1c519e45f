-- A log is recognized by its contents: each event has a random stamp, which is the same on every
-- copy that has the event, and another one where something else was written in its place.
-- Nothing (0) stands for events from before that; only the newest of each log gets one.

ALTER TABLE event ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
UPDATE event SET stamp = {random_stamp}
    WHERE (realm_id, seq) IN (SELECT realm_id, seq FROM log_head);

-- Epochs contain the installation, so that no two installations have the same one.
UPDATE queue SET epoch = (SELECT id FROM installation) || epoch
    WHERE realm_id IN (SELECT realm_id FROM log_head WHERE epoch = '')
    AND (epoch = '' OR epoch LIKE '@%');
UPDATE log_head SET epoch = (SELECT id FROM installation) WHERE epoch = '';

-- The timeline of PostgreSQL on which ids were last given out; see `timelines.py`.
ALTER TABLE installation ADD COLUMN timeline TEXT NOT NULL DEFAULT '';
