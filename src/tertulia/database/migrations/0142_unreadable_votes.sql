-- Votes whose key names no option: clients never counted them, and Zulip's phone app cannot show a
-- list of messages that holds one. New ones are refused.
DELETE FROM submessage WHERE msg_type = 'widget' AND {unreadable_vote};
