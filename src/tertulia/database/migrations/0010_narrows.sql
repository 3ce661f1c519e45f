-- Finding what few messages are, without walking past all others.

CREATE INDEX message_with_link ON message (realm_id, id) WHERE has_link;
CREATE INDEX message_with_image ON message (realm_id, id) WHERE has_image;
CREATE INDEX message_with_attachment ON message (realm_id, id) WHERE has_attachment;
CREATE INDEX message_calling_everybody ON message (realm_id, id) WHERE channel_wildcard;
CREATE INDEX message_resolved ON message (realm_id, id) WHERE substr(topic, 1, 2) = '✔ ';
CREATE INDEX message_moved ON message (realm_id, id) WHERE arrived_seq IS NOT NULL;
