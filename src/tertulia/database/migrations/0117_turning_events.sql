-- The events that change by what others are judged, for those who read the log long after.
-- The list is the same as in storage/log.py, so that the index is used for it.

CREATE INDEX event_turning ON event (realm_id, seq) WHERE kind IN ('channel_changed', 'conversation_begun', 'group_members', 'group_subgroups', 'joined', 'left', 'realm_changed', 'realm_changed_together', 'role', 'user_activity');
