-- Finding what few messages are, without walking past all others.

CREATE INDEX message_with_link ON message (realm_id, id) WHERE has_link;
CREATE INDEX message_with_image ON message (realm_id, id) WHERE has_image;
CREATE INDEX message_with_attachment ON message (realm_id, id) WHERE has_attachment;
CREATE INDEX message_calling_everybody ON message (realm_id, id) WHERE channel_wildcard;
