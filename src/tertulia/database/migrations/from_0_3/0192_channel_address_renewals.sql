-- How often the mail addresses of a channel were renewed. It is part of the signature that makes an address.
ALTER TABLE channel ADD COLUMN mail_renewals INTEGER NOT NULL DEFAULT 0;
-- An address is valid as long as its number is the channel's, so that an address that an older server
-- beside this one stores again stays invalid.
ALTER TABLE channel_address ADD COLUMN renewal INTEGER NOT NULL DEFAULT 0;
CREATE INDEX channel_address_by_channel ON channel_address (channel_id);
