-- Mails that a stranger can cause are counted by address, whatever their purpose and organization.
CREATE INDEX one_time_link_by_address ON one_time_link (email_key, made_at);
