-- The schema of a new database, for SQLite and PostgreSQL. `{serial}`, `{blob}`, `{bytewise}` and
-- `{clustered}` stand for what the two spell differently. Migrations in this folder come after it;
-- those in from_0_3/ bring data of 0.3.0 to it.
-- older servers cannot work with this
--
-- Every table of an organization's data has `realm_id`. Times are seconds since 1970. A column `..._key`
-- is the folded form of a text, by which it is compared; `sealed` is encrypted, and a `fingerprint` or
-- `..._hash` recognizes a secret that is not stored. Columns with lists or settings are JSON.

-- === The database ===

-- The newest migration that a server must know to work with this data.
CREATE TABLE schema_version (
    version INTEGER NOT NULL
);

-- The migrations that the schema contains.
CREATE TABLE schema_change (
    number INTEGER NOT NULL PRIMARY KEY
);

-- The random id of this installation, and the timeline of a PostgreSQL cluster.
CREATE TABLE installation (
    id TEXT NOT NULL PRIMARY KEY,
    timeline TEXT NOT NULL DEFAULT ''
);
INSERT INTO installation (id) VALUES ({random_id});

-- What the servers of a database note for each other: which version opened it last, and when
-- owners were warned of a full disk.
CREATE TABLE server_note (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
){clustered};

-- The state of each running server. `id` is new with every start of a process.
CREATE TABLE server_report (
    id TEXT NOT NULL PRIMARY KEY,
    seen_at DOUBLE PRECISION NOT NULL,
    report TEXT NOT NULL
){clustered};

-- The measurements of each server in the last day.
CREATE TABLE server_sample (
    server_id TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    sample TEXT NOT NULL,
    PRIMARY KEY (server_id, at)
){clustered};

-- === Organizations ===

-- Organizations. `settings` has those that differ from their default, as JSON.
CREATE TABLE realm (
    id {serial},
    subdomain TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    uuid TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    settings TEXT NOT NULL DEFAULT '{}',
    full_members_announced_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    render_version INTEGER NOT NULL DEFAULT 0,
    upload_bytes BIGINT NOT NULL DEFAULT 0,
    pictures TEXT NOT NULL DEFAULT '{}'
);

-- The icon and the logos of an organization.
CREATE TABLE realm_picture (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    PRIMARY KEY (realm_id, kind)
);

-- The mail domains that new users must have.
CREATE TABLE mail_domain (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    with_subdomains BOOLEAN NOT NULL,
    UNIQUE (realm_id, name)
);

-- Patterns in texts that become links, in their order.
CREATE TABLE linkifier (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    position BIGINT NOT NULL,
    pattern TEXT NOT NULL,
    url_template TEXT NOT NULL,
    example_input TEXT,
    reverse_template TEXT,
    alternative_url_templates TEXT NOT NULL,
    UNIQUE (realm_id, pattern)
);

-- Where code of a language can be run.
CREATE TABLE playground (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    url_template TEXT NOT NULL,
    UNIQUE (realm_id, language, name)
);

-- === Users ===

-- Users and bots. `key_hash` finds an API key, `key_sealed` is the key, encrypted.
CREATE TABLE account (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    full_name TEXT NOT NULL,
    role INTEGER NOT NULL,
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    is_system_bot BOOLEAN NOT NULL DEFAULT FALSE,
    bot_type INTEGER,
    bot_owner_id BIGINT REFERENCES account (id),
    joined_at DOUBLE PRECISION NOT NULL,
    timezone TEXT NOT NULL DEFAULT '',
    avatar_source TEXT NOT NULL DEFAULT 'J',
    avatar_version INTEGER NOT NULL DEFAULT 1,
    password_hash TEXT,
    key_hash {blob},
    key_sealed {blob},
    settings TEXT NOT NULL DEFAULT '{}',
    avatar_name TEXT,
    upload_bytes BIGINT NOT NULL DEFAULT 0,
    is_imported_stub BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE (realm_id, email_key)
);
CREATE UNIQUE INDEX account_by_key ON account (key_hash);
CREATE INDEX account_by_bot_owner ON account (bot_owner_id);
CREATE INDEX account_by_email ON account (email_key);

-- The status that users set.
CREATE TABLE user_status (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    status_text TEXT NOT NULL DEFAULT '',
    emoji_name TEXT NOT NULL DEFAULT '',
    emoji_code TEXT NOT NULL DEFAULT '',
    reaction_type TEXT NOT NULL DEFAULT '',
    ends_at DOUBLE PRECISION
);
CREATE INDEX user_status_by_realm ON user_status (realm_id);
CREATE INDEX user_status_by_end ON user_status (ends_at);

-- When users were last active. Written in batches; `update_id` counts the changes of an
-- organization.
CREATE TABLE presence (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    active_at DOUBLE PRECISION,
    idle_at DOUBLE PRECISION NOT NULL,
    update_id BIGINT NOT NULL
);
CREATE INDEX presence_by_update ON presence (realm_id, update_id);

-- Uploaded avatars, in two sizes. Their names cannot be guessed.
CREATE TABLE avatar (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    medium {blob} NOT NULL
);

-- Custom profile fields. `data` holds the options of a list, or the kind of an external account,
-- as JSON.
CREATE TABLE profile_field (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    field_type INTEGER NOT NULL,
    hint TEXT NOT NULL,
    data TEXT NOT NULL,
    position BIGINT NOT NULL,
    in_summary BOOLEAN NOT NULL,
    required BOOLEAN NOT NULL,
    editable_by_user BOOLEAN NOT NULL,
    for_matching BOOLEAN NOT NULL,
    UNIQUE (realm_id, name)
);

-- The values of custom profile fields.
CREATE TABLE profile_value (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    field_id BIGINT NOT NULL REFERENCES profile_field (id),
    value TEXT NOT NULL,
    rendered TEXT,
    PRIMARY KEY (user_id, field_id)
);
CREATE INDEX profile_value_by_field ON profile_value (field_id, user_id);
CREATE INDEX profile_value_by_realm ON profile_value (realm_id);

-- Who mutes whom.
CREATE TABLE muted_user (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    muted_id BIGINT NOT NULL REFERENCES account (id),
    muted_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX muted_user_by_muted ON muted_user (muted_id, user_id);

-- The alert words of users.
CREATE TABLE alert_word (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    word TEXT NOT NULL,
    word_key TEXT NOT NULL,
    UNIQUE (user_id, word_key)
);
CREATE INDEX alert_word_by_realm ON alert_word (realm_id);

-- Custom emoji, with their pictures.
CREATE TABLE emoji (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES account (id),
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    file_name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    still_name TEXT UNIQUE,
    still {blob}
);
CREATE UNIQUE INDEX emoji_by_name ON emoji (realm_id, name) WHERE NOT deactivated;
CREATE INDEX emoji_by_realm ON emoji (realm_id, id);

-- Texts that users keep to paste into messages.
CREATE TABLE saved_snippet (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX saved_snippet_by_user ON saved_snippet (user_id, id);

-- The views that users pin to their sidebar.
CREATE TABLE navigation_view (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    fragment TEXT NOT NULL,
    name TEXT,
    is_pinned BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_view_by_realm ON navigation_view (realm_id);

-- Invitations by mail or by link. `email` is empty for a link that can be used many times.
CREATE TABLE invitation (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    inviter_id BIGINT NOT NULL REFERENCES account (id),
    email TEXT,
    email_key TEXT,
    role INTEGER NOT NULL,
    channel_ids TEXT NOT NULL,
    group_ids TEXT NOT NULL,
    with_defaults BOOLEAN NOT NULL,
    notifies_inviter BOOLEAN NOT NULL,
    welcome TEXT NOT NULL,
    fingerprint {blob} NOT NULL UNIQUE,
    sealed {blob} NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    ended_at DOUBLE PRECISION,
    is_operators BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX invitation_by_realm ON invitation (realm_id, created_at);
CREATE INDEX invitation_by_email ON invitation (realm_id, email_key);
CREATE INDEX invitation_by_inviter ON invitation (inviter_id);

-- === Groups ===

-- User groups, those of roles among them. `permissions` is JSON.
CREATE TABLE user_group (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    is_system BOOLEAN NOT NULL DEFAULT FALSE,
    creator_id BIGINT REFERENCES account (id),
    created_at DOUBLE PRECISION,
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    permissions TEXT NOT NULL,
    UNIQUE (realm_id, name)
);

-- The direct members of groups.
CREATE TABLE user_group_member (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX user_group_member_by_user ON user_group_member (user_id);
CREATE INDEX user_group_member_by_realm ON user_group_member (realm_id, group_id, user_id);

-- The direct subgroups of groups.
CREATE TABLE user_group_subgroup (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    subgroup_id BIGINT NOT NULL REFERENCES user_group (id),
    PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX user_group_subgroup_by_subgroup ON user_group_subgroup (subgroup_id);
CREATE INDEX user_group_subgroup_by_realm ON user_group_subgroup (realm_id, group_id, subgroup_id);

-- === Channels and topics ===

-- Folders of channels, in their order.
CREATE TABLE channel_folder (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    rendered_description TEXT NOT NULL,
    position BIGINT NOT NULL,
    creator_id BIGINT REFERENCES account (id),
    created_at DOUBLE PRECISION NOT NULL,
    archived BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX channel_folder_by_realm ON channel_folder (realm_id, position);

-- Channels. `archived_seq` is the event that archived the channel and marked its messages up to
-- `archived_message_id` as read.
CREATE TABLE channel (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    rendered_description TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    creator_id BIGINT REFERENCES account (id),
    invite_only BOOLEAN NOT NULL DEFAULT FALSE,
    is_web_public BOOLEAN NOT NULL DEFAULT FALSE,
    history_public BOOLEAN NOT NULL DEFAULT TRUE,
    archived BOOLEAN NOT NULL DEFAULT FALSE,
    is_default BOOLEAN NOT NULL DEFAULT FALSE,
    folder_id BIGINT,
    first_message_id BIGINT,
    last_message_at DOUBLE PRECISION,
    retention_days INTEGER,
    topics_policy TEXT NOT NULL DEFAULT 'inherit',
    default_push BOOLEAN NOT NULL DEFAULT FALSE,
    permissions TEXT NOT NULL,
    weekly_traffic INTEGER,
    counted_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    recently_active BOOLEAN NOT NULL DEFAULT TRUE,
    archived_seq BIGINT,
    archived_message_id BIGINT,
    allows_summaries BOOLEAN NOT NULL DEFAULT TRUE,
    mail_renewals INTEGER NOT NULL DEFAULT 0,
    slow_mode_seconds INTEGER NOT NULL DEFAULT 0,
    slow_mode_until DOUBLE PRECISION,
    UNIQUE (realm_id, name_key)
);
CREATE INDEX channel_by_count ON channel (realm_id, counted_at);
CREATE INDEX channel_by_archival ON channel (realm_id, archived_seq) WHERE archived_seq IS NOT NULL;

-- Subscriptions. A row stays with its settings when the user unsubscribes.
CREATE TABLE subscription (
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    active BOOLEAN NOT NULL,
    color TEXT NOT NULL,
    is_muted BOOLEAN NOT NULL DEFAULT FALSE,
    pin_to_top BOOLEAN NOT NULL DEFAULT FALSE,
    desktop_notifications BOOLEAN,
    audible_notifications BOOLEAN,
    push_notifications BOOLEAN,
    email_notifications BOOLEAN,
    wildcard_mentions_notify BOOLEAN,
    PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX subscription_by_channel ON subscription (channel_id, user_id);
CREATE INDEX subscription_by_realm ON subscription (realm_id, channel_id, user_id) WHERE active;

-- When users were subscribed: from which event and message on, and up to which. Who received a
-- message or an event follows from it.
CREATE TABLE subscription_span (
    id {serial},
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    start_seq BIGINT NOT NULL,
    start_message_id BIGINT NOT NULL,
    end_seq BIGINT,
    end_message_id BIGINT
);
CREATE INDEX subscription_span_by_user ON subscription_span (user_id, channel_id);
CREATE INDEX subscription_span_by_channel ON subscription_span (channel_id, end_message_id);

-- Where messages are. Several rows may have the same channel and key: spellings of one topic, and
-- parts that were moved into it. For readers they are one topic. A row without messages is
-- deleted. `edit_id` is the last of its moves, and `moved_edit_id` the last that did not only
-- resolve it.
CREATE TABLE topic (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    edit_id BIGINT NOT NULL DEFAULT 0,
    moved_edit_id BIGINT NOT NULL DEFAULT 0,
    moved_at DOUBLE PRECISION
);
CREATE INDEX topic_by_name ON topic (channel_id, name_key, id);
CREATE INDEX topic_by_realm ON topic (realm_id, name_key, id);

-- The moves of all messages of a topic. A message that came into the topic later has those after
-- `message.topic_since`. `after_edit_id` is the last row of `message_edit` before it, and so its
-- place in the history of a message.
CREATE TABLE topic_edit (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    topic_id BIGINT NOT NULL REFERENCES topic (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT,
    after_edit_id BIGINT NOT NULL
);
CREATE INDEX topic_edit_by_topic ON topic_edit (topic_id, id);
CREATE INDEX topic_edit_by_user ON topic_edit (user_id);
CREATE INDEX topic_edit_by_realm ON topic_edit (realm_id, id);

-- Whether users follow or mute a topic.
CREATE TABLE user_topic (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    topic_key TEXT NOT NULL,
    topic TEXT NOT NULL,
    policy INTEGER NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, channel_id, topic_key)
);

-- === Messages ===

-- Conversations of direct messages. `digest` is the same for the same members; `member_ids` lists
-- them.
CREATE TABLE conversation (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    digest TEXT NOT NULL,
    member_ids TEXT NOT NULL DEFAULT '',
    UNIQUE (realm_id, digest)
);

-- The members of conversations.
CREATE TABLE conversation_member (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    conversation_id BIGINT NOT NULL REFERENCES conversation (id),
    PRIMARY KEY (user_id, conversation_id)
);

-- Messages, in a channel and topic or in a conversation. `origin_channel_id` is the channel that
-- the message was sent to, which decides who received it; `arrived_seq` is the event that moved it
-- elsewhere.
CREATE TABLE message (
    id {numbered},
    realm_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    client TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    is_me BOOLEAN NOT NULL DEFAULT FALSE,
    channel_wildcard BOOLEAN NOT NULL DEFAULT FALSE,
    origin_channel_id BIGINT,
    arrived_seq BIGINT,
    edited_at DOUBLE PRECISION,
    moved_at DOUBLE PRECISION,
    resolve_notice BOOLEAN NOT NULL DEFAULT FALSE,
    has_link BOOLEAN NOT NULL DEFAULT FALSE,
    has_image BOOLEAN NOT NULL DEFAULT FALSE,
    has_attachment BOOLEAN NOT NULL DEFAULT FALSE,
    archived_seq BIGINT,
    topic_id BIGINT REFERENCES topic (id),
    topic_since BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX message_by_realm ON message (realm_id, id);
CREATE INDEX message_by_channel ON message (channel_id, id);
CREATE INDEX message_by_sender ON message (sender_id, id);
CREATE INDEX message_direct ON message (realm_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX message_with_link ON message (realm_id, id) WHERE has_link;
CREATE INDEX message_with_image ON message (realm_id, id) WHERE has_image;
CREATE INDEX message_with_attachment ON message (realm_id, id) WHERE has_attachment;
CREATE INDEX message_with_wildcard ON message (realm_id, id) WHERE channel_wildcard;
CREATE INDEX message_moved ON message (realm_id, id) WHERE arrived_seq IS NOT NULL;
CREATE INDEX message_by_conversation ON message (conversation_id, id)
    WHERE conversation_id IS NOT NULL;
CREATE INDEX message_by_topic ON message (topic_id, id) WHERE topic_id IS NOT NULL;

-- The flags that few messages have, such as starred and mentioned. Unread is in `unread`.
CREATE TABLE message_flag (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    flag TEXT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    PRIMARY KEY (user_id, flag, message_id)
);
CREATE INDEX message_flag_by_message ON message_flag (message_id);
CREATE INDEX message_flag_historical ON message_flag (message_id, user_id)
    WHERE flag = 'historical';

-- Flags that one message has for many users, until the server has written them to `message_flag` in
-- portions; readers add them. `user_ids` lists the users: ",3,7,".
CREATE TABLE pending_flag (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    flag TEXT NOT NULL,
    user_ids TEXT NOT NULL,
    PRIMARY KEY (message_id, flag)
);
CREATE INDEX pending_flag_by_realm ON pending_flag (realm_id);

-- The unread messages of each user, as a compressed bitmap. Readers add the messages after
-- `caught_up_to`, and subtract channels archived after the event `archivals_seen`.
CREATE TABLE unread (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    bitmap {blob} NOT NULL,
    caught_up_to BIGINT NOT NULL,
    archivals_seen BIGINT NOT NULL DEFAULT 0
);

-- The former values of what an edit or a move changed. `after_edit_id` is set in copies of rows of
-- `topic_edit`; `is_held` marks edits beyond the limits of the history that only a legal hold
-- keeps.
CREATE TABLE message_edit (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT,
    after_edit_id BIGINT,
    is_held BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX message_edit_by_message ON message_edit (message_id, id);
CREATE INDEX message_edit_held ON message_edit (realm_id, id) WHERE is_held;

-- Emoji reactions.
CREATE TABLE reaction (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    emoji_name TEXT NOT NULL,
    emoji_code TEXT NOT NULL,
    reaction_type TEXT NOT NULL,
    UNIQUE (message_id, user_id, reaction_type, emoji_code)
);

-- The parts of widgets such as polls; the first one of a message defines the widget.
CREATE TABLE submessage (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    msg_type TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX submessage_by_message ON submessage (message_id, id);
CREATE INDEX submessage_by_sender ON submessage (sender_id);

-- What linked pages say about themselves, for the previews below messages.
CREATE TABLE link_preview (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    image TEXT NOT NULL,
    fetched_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, url)
);
CREATE INDEX link_preview_by_age ON link_preview (fetched_at);

-- Messages whose link previews were removed by a user.
CREATE TABLE removed_link_preview (
    message_id BIGINT PRIMARY KEY REFERENCES message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id)
);
CREATE INDEX removed_link_preview_by_realm ON removed_link_preview (realm_id);

-- The newest id of a deleted message: no message gets an id up to it.
CREATE TABLE newest_deleted_message (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    newest BIGINT NOT NULL
);
CREATE INDEX newest_deleted_message_by_number ON newest_deleted_message (newest);

-- Deleted messages that are kept until `purge_after`, or longer by a legal hold. `document` has
-- the other columns of the message, and its rows of other tables by table, as JSON. `channel_ids`
-- are the channels that it was in, and `user_ids` the users with rows in the document: ",3,7,".
CREATE TABLE deleted_message (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    origin_channel_id BIGINT,
    channel_ids TEXT NOT NULL,
    user_ids TEXT NOT NULL,
    topic TEXT NOT NULL,
    topic_key TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    resolve_notice BOOLEAN NOT NULL,
    reason TEXT NOT NULL,
    deleted_at DOUBLE PRECISION NOT NULL,
    deleted_by BIGINT REFERENCES account (id),
    purge_after DOUBLE PRECISION NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX deleted_message_by_purge ON deleted_message (purge_after);
CREATE INDEX deleted_message_by_realm ON deleted_message (realm_id, id);
CREATE INDEX deleted_message_by_channel ON deleted_message (channel_id, topic_key, id);
CREATE INDEX deleted_message_by_conversation ON deleted_message (conversation_id, id);
CREATE INDEX deleted_message_by_sender ON deleted_message (sender_id, id);
CREATE INDEX deleted_message_by_deleter ON deleted_message (deleted_by);

-- Idempotency keys of sends, and the message that each of them sent.
CREATE TABLE send_key (
    realm_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    fingerprint {blob} NOT NULL,
    message_id BIGINT NOT NULL,
    policy INTEGER,
    sent_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (sender_id, key)
);
CREATE INDEX send_key_by_age ON send_key (sent_at);

-- Streamed answers that were stopped: the user who asked may delete the message that such an
-- answer becomes. `message_id` is set when the bot finishes it.
CREATE TABLE stopped_answer (
    bot_id BIGINT NOT NULL REFERENCES account (id),
    send_key TEXT NOT NULL,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    asked_by BIGINT NOT NULL REFERENCES account (id),
    stopped_at DOUBLE PRECISION NOT NULL,
    message_id BIGINT REFERENCES message (id) ON DELETE CASCADE,
    PRIMARY KEY (bot_id, send_key)
);
CREATE INDEX stopped_answer_by_message ON stopped_answer (message_id);
CREATE INDEX stopped_answer_by_asker ON stopped_answer (asked_by);
CREATE INDEX stopped_answer_by_realm ON stopped_answer (realm_id);
CREATE INDEX stopped_answer_by_age ON stopped_answer (stopped_at);

-- === Files ===

-- The bytes of files: in `upload_piece`, or in a store outside of the database (`place`).
-- `touched_at` is the time of the last piece, NULL once an attachment shows the file, and 0 when
-- it is to be deleted.
CREATE TABLE upload (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION,
    person_id BIGINT REFERENCES account (id),
    expected_bytes BIGINT NOT NULL DEFAULT 0,
    place TEXT NOT NULL DEFAULT '',
    stored_name TEXT NOT NULL DEFAULT '',
    stored_bytes BIGINT NOT NULL DEFAULT 0,
    stored_digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX upload_by_touch ON upload (touched_at) WHERE touched_at IS NOT NULL;
CREATE INDEX upload_in_database ON upload (id) WHERE place = '' AND touched_at IS NULL;

-- The bytes of uploads in the database, in pieces of one size but for the last.
CREATE TABLE upload_piece (
    realm_id BIGINT NOT NULL,
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    position BIGINT NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (upload_id, position)
);

-- Uploaded files. `path_id` is the address below /user_uploads/, which cannot be guessed.
CREATE TABLE attachment (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    path_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    is_animated BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX attachment_by_owner ON attachment (owner_id, id);
CREATE INDEX attachment_by_upload ON attachment (upload_id);

-- Thumbnails, made on demand; empty if none can be made.
CREATE TABLE attachment_thumbnail (
    realm_id BIGINT NOT NULL,
    attachment_id BIGINT PRIMARY KEY REFERENCES attachment (id),
    data {blob} NOT NULL
);

-- Which messages link which files.
CREATE TABLE attachment_message (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, message_id)
){clustered};
CREATE INDEX attachment_message_by_message ON attachment_message (message_id);

-- Which deleted messages link which files. Those that other messages link too are in `attachment`.
CREATE TABLE deleted_message_file (
    attachment_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES deleted_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX deleted_message_file_by_message ON deleted_message_file (message_id);
CREATE INDEX deleted_message_file_by_realm ON deleted_message_file (realm_id);

-- The files that only deleted messages link.
CREATE TABLE deleted_attachment (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    path_id TEXT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    is_animated BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX deleted_attachment_by_owner ON deleted_attachment (owner_id);
CREATE INDEX deleted_attachment_by_upload ON deleted_attachment (upload_id);
CREATE INDEX deleted_attachment_by_realm ON deleted_attachment (realm_id);

-- Running backups: no file is deleted from a store meanwhile.
CREATE TABLE file_hold (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION NOT NULL
);

-- === Agents ===

-- Programs that act for users by a grant.
CREATE TABLE agent_client (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    client_id TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    network TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX agent_client_by_client_id ON agent_client (realm_id, client_id);

-- What a user lets an agent do: where, and until when.
CREATE TABLE agent_grant (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    client_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    channels TEXT NOT NULL,
    direct_messages BOOLEAN NOT NULL,
    presence BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    used_at DOUBLE PRECISION
);
CREATE INDEX agent_grant_by_user ON agent_grant (user_id);
CREATE INDEX agent_grant_by_realm ON agent_grant (realm_id, client_id);

-- Authorization codes, as hashes.
CREATE TABLE agent_code (
    fingerprint {blob} NOT NULL PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    grant_id BIGINT NOT NULL REFERENCES agent_grant (id),
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION
);
CREATE INDEX agent_code_by_grant ON agent_code (grant_id);
CREATE INDEX agent_code_by_realm ON agent_code (realm_id);

-- Access and refresh tokens, as hashes.
CREATE TABLE agent_token (
    fingerprint {blob} NOT NULL PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    grant_id BIGINT NOT NULL REFERENCES agent_grant (id),
    kind TEXT NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    replaced_at DOUBLE PRECISION,
    successor_salt {blob}
);
CREATE INDEX agent_token_by_grant ON agent_token (grant_id);
CREATE INDEX agent_token_by_realm ON agent_token (realm_id);

-- How far an agent has confirmed to have read.
CREATE TABLE agent_position (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    name TEXT NOT NULL,
    read_up_to BIGINT NOT NULL
);
CREATE INDEX agent_position_by_user ON agent_position (user_id, name);
CREATE INDEX agent_position_by_grant ON agent_position (grant_id);
CREATE INDEX agent_position_by_realm ON agent_position (realm_id);

-- === Drafts, scheduled messages, reminders ===

-- Drafts. `user_ids` has the recipients of a direct one as JSON.
CREATE TABLE draft (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    user_ids TEXT NOT NULL,
    topic TEXT NOT NULL,
    content TEXT NOT NULL,
    edited_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX draft_by_user ON draft (user_id, edited_at);

-- Scheduled messages. The row of a sent one keeps no text; it stays for a while, so that a late
-- edit is refused with a reason.
CREATE TABLE scheduled_message (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    topic TEXT NOT NULL DEFAULT '',
    user_ids TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    mentions TEXT NOT NULL,
    client TEXT NOT NULL,
    read_by_sender BOOLEAN,
    deliver_at BIGINT NOT NULL,
    failed BOOLEAN NOT NULL DEFAULT FALSE,
    sent_at DOUBLE PRECISION,
    grant_id BIGINT REFERENCES agent_grant (id) ON DELETE SET NULL
);
CREATE INDEX scheduled_message_by_owner ON scheduled_message (owner_id);
CREATE INDEX scheduled_message_waiting ON scheduled_message (realm_id, deliver_at, id)
    WHERE sent_at IS NULL AND NOT failed;
CREATE INDEX scheduled_message_sent ON scheduled_message (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX scheduled_message_due ON scheduled_message (deliver_at)
    WHERE sent_at IS NULL AND NOT failed;
CREATE INDEX scheduled_message_by_grant ON scheduled_message (grant_id) WHERE grant_id IS NOT NULL;

-- Which scheduled messages link which files.
CREATE TABLE attachment_scheduled (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    scheduled_id BIGINT NOT NULL REFERENCES scheduled_message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, scheduled_id)
){clustered};
CREATE INDEX attachment_scheduled_by_message ON attachment_scheduled (scheduled_id);

-- Reminders of messages, which quote the message. `site` is the address of the link to it.
CREATE TABLE reminder (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    note TEXT NOT NULL,
    site TEXT NOT NULL,
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    deliver_at BIGINT NOT NULL,
    failed BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX reminder_by_owner ON reminder (owner_id);
CREATE INDEX reminder_by_message ON reminder (message_id);
CREATE INDEX reminder_waiting ON reminder (realm_id, deliver_at, id) WHERE NOT failed;
CREATE INDEX reminder_due ON reminder (deliver_at) WHERE NOT failed;

-- === The event log ===

-- The last event of each organization. `rules_seq` is the last event that may change who may send.
CREATE TABLE log_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL,
    epoch TEXT NOT NULL DEFAULT '',
    rules_seq BIGINT NOT NULL DEFAULT 0
);

-- The event log: what changed, and for whom. `stamp` is random, to recognize the same log by
-- contents.
CREATE TABLE event (
    realm_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    audience TEXT NOT NULL,
    payload TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    stamp INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (realm_id, seq)
){clustered};
CREATE INDEX event_affecting_delivery ON event (realm_id, seq)
    WHERE kind IN ('channel_changed', 'conversation_begun', 'group_members', 'group_subgroups',
        'joined', 'left', 'realm_changed', 'realm_changed_together', 'role', 'user_activity');

-- Event queues of clients: positions in the log.
CREATE TABLE queue (
    id TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    options TEXT NOT NULL,
    start_seq BIGINT NOT NULL,
    acked BIGINT NOT NULL,
    idle_seconds INTEGER NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    scanned BIGINT NOT NULL DEFAULT 0,
    epoch TEXT NOT NULL DEFAULT ''
);
CREATE INDEX queue_by_user ON queue (user_id);

-- === Search index ===

-- How far the index of an organization reaches, and its language.
CREATE TABLE search_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    indexed_to BIGINT NOT NULL,
    changes BIGINT NOT NULL DEFAULT 0,
    language TEXT NOT NULL DEFAULT 'english',
    former_languages TEXT NOT NULL DEFAULT '',
    restemmed_to TEXT NOT NULL DEFAULT '',
    resigned_to BIGINT NOT NULL DEFAULT 0
);

-- Messages that changed since they were indexed.
CREATE TABLE search_stale (
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    change BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (realm_id, message_id)
){clustered};

-- Topics whose messages after `after_id` are to be indexed again, since this change.
CREATE TABLE search_stale_topic (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    topic_id BIGINT NOT NULL PRIMARY KEY REFERENCES topic (id),
    change BIGINT NOT NULL,
    after_id BIGINT NOT NULL
);
CREATE INDEX search_stale_topic_by_realm ON search_stale_topic (realm_id, topic_id);

-- The vocabulary.
CREATE TABLE search_word (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    word TEXT NOT NULL,
    stem TEXT NOT NULL,
    UNIQUE (realm_id, word)
);
CREATE INDEX search_word_by_stem ON search_word (realm_id, stem);

-- The words that contain three letters in a row: for finding parts of words.
CREATE TABLE search_gram (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    gram TEXT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, gram)
){clustered};

-- The messages that contain a word, as bitmaps by segment.
CREATE TABLE search_posting (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    word_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, word_id)
){clustered};

-- The words that a message was indexed with, so that it can be removed from the index.
CREATE TABLE search_document (
    message_id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    words {blob} NOT NULL,
    joints {blob},
    change BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX search_document_unjoined ON search_document (realm_id, message_id)
    WHERE joints IS NULL;

-- Phrases: the letters where two neighbouring words meet are a joint, numbered by a hash. A bitmap says
-- which messages may have it; the texts decide.
CREATE TABLE search_joint (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    joint BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, joint)
){clustered};

-- Messages with more words than the index lists: a Bloom filter of their words, cut into 64 parts, so
-- that a search reads one part for each word.
CREATE TABLE search_signature (
    realm_id BIGINT NOT NULL,
    part BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, part, message_id)
){clustered};

-- How many new words a user has added to the vocabulary beyond what each message may add, as of
-- the time of their last message that did. Bots count with their owner.
CREATE TABLE search_budget (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    person_id BIGINT NOT NULL REFERENCES account (id),
    words DOUBLE PRECISION NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, person_id)
){clustered};

-- === Logins ===

-- Browser sessions. `provider_*` is for logouts that a single sign-on provider starts.
CREATE TABLE session (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    fingerprint {blob} NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    provider_person {blob},
    provider_mark {blob},
    provider_sealed {blob},
    ends_at DOUBLE PRECISION
);
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_age ON session (realm_id, seen_at);
CREATE INDEX session_by_provider ON session (realm_id, provider_person);

-- Recent failed passwords: for which name, and from which network.
CREATE TABLE password_attempt (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name_hash {blob} NOT NULL,
    address TEXT NOT NULL,
    tried_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX password_attempt_by_name ON password_attempt (realm_id, name_hash, tried_at);
CREATE INDEX password_attempt_by_age ON password_attempt (realm_id, tried_at);

-- Links in mails that work once: confirm an address, reset a password, accept an invitation.
CREATE TABLE one_time_link (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    purpose TEXT NOT NULL,
    fingerprint {blob} UNIQUE,
    user_id BIGINT REFERENCES account (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    requested_from TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    invitation_id BIGINT REFERENCES invitation (id)
);
CREATE INDEX one_time_link_by_email ON one_time_link (realm_id, purpose, email_key);
CREATE INDEX one_time_link_by_requester ON one_time_link (realm_id, requested_from, created_at);
CREATE INDEX one_time_link_by_user ON one_time_link (user_id);
CREATE INDEX one_time_link_by_address ON one_time_link (email_key, created_at);

-- The accounts of users at single sign-on providers and directories.
CREATE TABLE identity (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    is_ended BOOLEAN NOT NULL DEFAULT FALSE,  -- the account was ended because the provider said so
    group_ids TEXT NOT NULL DEFAULT '[]',  -- the groups it was brought into
    picture_mark TEXT NOT NULL DEFAULT '',  -- which picture was brought
    UNIQUE (realm_id, provider, subject)
);
CREATE INDEX identity_by_user ON identity (user_id);

-- Logins that are at a provider now.
CREATE TABLE pending_login (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    state_hash {blob} NOT NULL UNIQUE,
    browser_hash {blob} NOT NULL,
    sealed {blob} NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    user_id BIGINT REFERENCES account (id)
);
CREATE INDEX pending_login_by_age ON pending_login (realm_id, created_at);
CREATE INDEX pending_login_by_user ON pending_login (user_id);

-- Tokens that finish a login in another program; they work once and for seconds.
CREATE TABLE login_token (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    token_hash {blob} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES account (id),
    method TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX login_token_by_user ON login_token (user_id);
CREATE INDEX login_token_by_age ON login_token (realm_id, created_at);

-- The authenticator apps (TOTP) of users.
CREATE TABLE totp_secret (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sealed {blob} NOT NULL,  -- the secret that it shares with us
    last_step BIGINT NOT NULL,  -- of the last code that was used: no earlier one is good any more
    created_at DOUBLE PRECISION NOT NULL
);

-- Recovery codes, as hashes.
CREATE TABLE recovery_code (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    code_hash {blob} NOT NULL
);
CREATE INDEX recovery_code_by_user ON recovery_code (user_id);

-- Passkeys.
CREATE TABLE passkey (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    name TEXT NOT NULL,
    credential {blob} NOT NULL,  -- its name for itself and its public key
    sign_count BIGINT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION
);
CREATE INDEX passkey_by_user ON passkey (user_id);

-- The networks and browsers that users have logged in from lately: others cause a mail.
CREATE TABLE known_login (
    user_id BIGINT NOT NULL REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    fingerprint {blob} NOT NULL,  -- of the network and the kind of browser
    seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
);
CREATE INDEX known_login_by_age ON known_login (realm_id, seen_at);

-- === Bots and webhooks ===

-- What a bot has beyond its account. The columns of a service are for outgoing webhooks; the token
-- proves to the service that the call is ours.
CREATE TABLE bot (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    sending_channel_id BIGINT REFERENCES channel (id),
    listening_channel_id BIGINT REFERENCES channel (id),
    all_public_channels BOOLEAN NOT NULL DEFAULT FALSE,
    service_url TEXT,
    service_interface INTEGER,
    service_token TEXT,
    config TEXT NOT NULL DEFAULT '{}',
    service_timed_out BOOLEAN NOT NULL DEFAULT FALSE,
    service_answered_at DOUBLE PRECISION,
    service_failed_at DOUBLE PRECISION,
    service_failures INTEGER NOT NULL DEFAULT 0,
    service_error TEXT
);
CREATE INDEX bot_by_realm ON bot (realm_id);

-- The storage of bots.
CREATE TABLE bot_memory (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
);

-- What users call by `/name`. The owner is a bot, or an agent of a user. `channel_ids` are where it is
-- offered, null for all channels; `may_use` is a group or a list of people and groups.
CREATE TABLE command (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    bot_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    parameters TEXT NOT NULL,
    channel_ids TEXT,
    in_direct BOOLEAN NOT NULL,
    may_use TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (realm_id, name)
);
CREATE INDEX command_by_bot ON command (bot_id);
CREATE INDEX command_by_grant ON command (grant_id);

-- Calls of commands, presses of buttons and submitted forms, and what the bot answered. `given` are
-- the values; `form` and `reply` are parts of the answer. They are deleted after a day.
CREATE TABLE interaction (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    bot_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    user_key TEXT,
    command_name TEXT NOT NULL DEFAULT '',
    message_id BIGINT REFERENCES message (id) ON DELETE CASCADE,
    choice TEXT NOT NULL DEFAULT '',
    parent_id BIGINT REFERENCES interaction (id) ON DELETE CASCADE,
    channel_id BIGINT REFERENCES channel (id),
    topic TEXT NOT NULL DEFAULT '',
    user_ids TEXT NOT NULL DEFAULT '[]',
    given TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    fetched_at DOUBLE PRECISION,
    answered_at DOUBLE PRECISION,
    reply TEXT NOT NULL DEFAULT '',
    rendered TEXT NOT NULL DEFAULT '',
    form TEXT NOT NULL DEFAULT '',
    errors TEXT NOT NULL DEFAULT '{}',
    answer_message_id BIGINT REFERENCES message (id) ON DELETE SET NULL
);
CREATE INDEX interaction_by_bot ON interaction (bot_id, id);
CREATE INDEX interaction_by_user ON interaction (user_id, id);
CREATE INDEX interaction_by_grant ON interaction (grant_id);
CREATE INDEX interaction_by_channel ON interaction (channel_id);
CREATE INDEX interaction_by_message ON interaction (message_id, user_id);
CREATE INDEX interaction_by_answer ON interaction (answer_message_id);
CREATE INDEX interaction_by_realm ON interaction (realm_id, created_at);
CREATE UNIQUE INDEX interaction_by_parent ON interaction (parent_id);
CREATE UNIQUE INDEX interaction_by_key ON interaction (user_id, user_key);

-- === Notifications and mail ===

-- Phones with end-to-end encrypted push notifications.
CREATE TABLE device (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    key_number BIGINT,
    sealed {blob},
    token_kind TEXT,
    token_id TEXT,
    pending_kind TEXT,
    pending_token_id TEXT,
    pending_since DOUBLE PRECISION,
    bouncer_public_key TEXT,
    encrypted_registration TEXT,
    error_code TEXT,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX device_by_user ON device (user_id, id);
CREATE INDEX device_by_realm ON device (realm_id);

-- Phones of older apps, without encryption.
CREATE TABLE device_token (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    token TEXT NOT NULL,
    app_id TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, kind, token)
);
CREATE INDEX device_token_by_realm ON device_token (realm_id);

-- Everything that is sent to other machines: mails, webhook calls, push notifications,
-- registrations of phones, and calls of commands. Rows of one lane are sent one after the other. `notified` are the devices
-- that have it already.
CREATE TABLE outbox (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    transport TEXT NOT NULL,
    kind TEXT NOT NULL,
    lane BIGINT,
    user_id BIGINT REFERENCES account (id),
    message_id BIGINT REFERENCES message (id),
    device_id BIGINT REFERENCES device (id),
    interaction_id BIGINT REFERENCES interaction (id) ON DELETE CASCADE,
    sealed {blob},
    notified TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_due ON outbox (transport, due_at);
CREATE INDEX outbox_by_message ON outbox (message_id);
CREATE INDEX outbox_by_user ON outbox (user_id);
CREATE INDEX outbox_by_device ON outbox (device_id);
CREATE INDEX outbox_by_interaction ON outbox (interaction_id);
CREATE INDEX outbox_by_realm ON outbox (realm_id);
CREATE UNIQUE INDEX outbox_push ON outbox (user_id, message_id) WHERE transport = 'push';

-- How far the job that finds missed messages has read the log.
CREATE TABLE missed_position (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL
);

-- Missed messages that the next mail to a user contains.
CREATE TABLE missed_message (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    reason TEXT NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX missed_message_by_message ON missed_message (message_id);
CREATE INDEX missed_message_by_realm ON missed_message (realm_id);

-- When the next mail about missed messages is due.
CREATE TABLE missed_timer (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX missed_timer_by_due ON missed_timer (due_at);

-- The keys by which push services recognize an organization (VAPID).
CREATE TABLE push_key (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    public TEXT NOT NULL,
    sealed {blob} NOT NULL
);

-- Browsers with Web Push, and ntfy or Gotify servers of users.
CREATE TABLE push_subscription (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    endpoint TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    kind TEXT NOT NULL DEFAULT 'web',  -- or ntfy, gotify
    sealed {blob},  -- the token of an ntfy or Gotify server
    sends_text BOOLEAN NOT NULL DEFAULT FALSE  -- whether such a server gets the text
);
CREATE INDEX push_subscription_by_user ON push_subscription (user_id, id);
CREATE INDEX push_subscription_by_realm ON push_subscription (realm_id);

-- Notifications that a device may still show. Their message may be deleted.
CREATE TABLE push_notice (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    muted_until DOUBLE PRECISION NOT NULL DEFAULT 0,  -- its conversation sends none until then
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notice_by_due ON push_notice (due_at);
CREATE INDEX push_notice_by_realm ON push_notice (realm_id);

-- When the last digest was sent to a user.
CREATE TABLE digest (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    written_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX digest_by_realm ON digest (realm_id);

-- Addresses in mails: a reply to one is a message.
CREATE TABLE reply_address (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    expires_at DOUBLE PRECISION NOT NULL,
    channel_id BIGINT REFERENCES channel (id),
    topic TEXT
);
CREATE INDEX reply_address_by_message ON reply_address (message_id);
CREATE INDEX reply_address_by_user ON reply_address (user_id);
CREATE INDEX reply_address_by_realm ON reply_address (realm_id);
CREATE INDEX reply_address_by_end ON reply_address (expires_at);

-- The mail addresses of channels.
CREATE TABLE channel_address (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    sender_id BIGINT REFERENCES account (id),
    created_by BIGINT NOT NULL REFERENCES account (id),
    renewal INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX channel_address_by_realm ON channel_address (realm_id);
CREATE INDEX channel_address_by_channel ON channel_address (channel_id);

-- Mails that were received lately, so that a repeated one is one message.
CREATE TABLE received_mail (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    address_hash TEXT NOT NULL,
    received_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX received_mail_by_address ON received_mail (address_hash, received_at);
CREATE INDEX received_mail_by_time ON received_mail (received_at);
CREATE INDEX received_mail_by_realm ON received_mail (realm_id);

-- === Administration ===

-- The audit log.
CREATE TABLE audit_entry (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    at DOUBLE PRECISION NOT NULL,
    actor_id BIGINT,
    address TEXT NOT NULL,
    act TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '{}',
    result TEXT NOT NULL,
    area TEXT NOT NULL DEFAULT 'other',
    object TEXT
);
CREATE INDEX audit_entry_by_realm ON audit_entry (realm_id, id);
CREATE INDEX audit_entry_by_time ON audit_entry (at);
CREATE INDEX audit_entry_by_actor ON audit_entry (realm_id, actor_id, id);
CREATE INDEX audit_entry_by_object ON audit_entry (realm_id, object, id) WHERE object IS NOT NULL;

-- Legal holds: what users or channels write is kept when it is deleted or edited, until the hold
-- ends. Each hold is on one user or one channel.
CREATE TABLE legal_hold (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    reason TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    created_by BIGINT REFERENCES account (id),
    ended_at DOUBLE PRECISION,
    ended_by BIGINT REFERENCES account (id)
);
CREATE INDEX legal_hold_by_realm ON legal_hold (realm_id, ended_at);
CREATE INDEX legal_hold_by_user ON legal_hold (user_id);
CREATE INDEX legal_hold_by_channel ON legal_hold (channel_id);
CREATE INDEX legal_hold_by_creator ON legal_hold (created_by);
CREATE INDEX legal_hold_by_ender ON legal_hold (ended_by);

-- The state of an import: the new ids of what was imported, as JSON.
CREATE TABLE import_run (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    messages_done BIGINT NOT NULL,
    is_finished BOOLEAN NOT NULL DEFAULT FALSE,
    imported_by TEXT NOT NULL DEFAULT ''
);

-- Exports that users or administrators requested.
CREATE TABLE realm_export (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    requested_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION,
    failed_at DOUBLE PRECISION,
    deleted_at DOUBLE PRECISION,
    attachment_id BIGINT,
    path_id TEXT,
    channel_id BIGINT REFERENCES channel (id),
    is_html BOOLEAN NOT NULL DEFAULT FALSE,
    person_id BIGINT REFERENCES account (id)
);
CREATE INDEX realm_export_by_realm ON realm_export (realm_id, id);

-- Calls between browsers that are going on.
CREATE TABLE running_call (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    token TEXT NOT NULL,
    message_id BIGINT NOT NULL UNIQUE REFERENCES message (id) ON DELETE CASCADE,
    started_by BIGINT NOT NULL REFERENCES account (id),
    started_at DOUBLE PRECISION NOT NULL,
    ringing TEXT NOT NULL,
    rung TEXT NOT NULL DEFAULT '[]',
    rings_until DOUBLE PRECISION NOT NULL,
    UNIQUE (realm_id, token)
);
CREATE INDEX running_call_by_starter ON running_call (started_by);

-- Each browser in a call. The row of one that has left stays until the call ends, to count the people.
CREATE TABLE call_session (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    call_id BIGINT NOT NULL REFERENCES running_call (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES account (id),
    seen_at DOUBLE PRECISION NOT NULL,
    has_left BOOLEAN NOT NULL DEFAULT FALSE,
    is_muted BOOLEAN NOT NULL DEFAULT FALSE,
    has_camera BOOLEAN NOT NULL DEFAULT FALSE,
    has_screen BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX call_session_by_call ON call_session (call_id, id);
CREATE INDEX call_session_by_user ON call_session (user_id);
CREATE INDEX call_session_by_realm ON call_session (realm_id);
