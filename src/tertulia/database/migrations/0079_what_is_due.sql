-- Whether anything is due is asked for all organizations at once, a few times a second.
CREATE INDEX scheduled_message_due ON scheduled_message (deliver_at)
    WHERE sent_at IS NULL AND NOT failed;
CREATE INDEX reminder_due ON reminder (deliver_at) WHERE NOT failed;
CREATE INDEX webhook_call_due ON webhook_call (due_at);
CREATE INDEX push_notice_shown ON push_notice (realm_id, user_id, message_id) WHERE sent;
