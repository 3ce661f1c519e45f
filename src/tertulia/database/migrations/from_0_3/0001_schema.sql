-- The schema of 0.3.0: for restoring its backups, and for tests. The other files in this folder are the
-- migrations from it to ../0001_schema.sql.
-- older servers cannot work with this

CREATE TABLE schema_version (
    version INTEGER NOT NULL
);

CREATE TABLE realm (
    id {serial},
    subdomain TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    uuid TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    settings TEXT NOT NULL DEFAULT '{}',
    full_members_told_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    render_version INTEGER NOT NULL DEFAULT 0,
    upload_bytes BIGINT NOT NULL DEFAULT 0,
    pictures TEXT NOT NULL DEFAULT '{}'
);

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

CREATE TABLE user_group_member (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX user_group_member_by_user ON user_group_member (user_id);
CREATE INDEX user_group_member_by_realm ON user_group_member (realm_id, group_id, user_id);

CREATE TABLE user_group_subgroup (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    subgroup_id BIGINT NOT NULL REFERENCES user_group (id),
    PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX user_group_subgroup_by_subgroup ON user_group_subgroup (subgroup_id);
CREATE INDEX user_group_subgroup_by_realm ON user_group_subgroup (realm_id, group_id, subgroup_id);

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
    closed_seq BIGINT,
    closed_message_id BIGINT,
    allows_summaries BOOLEAN NOT NULL DEFAULT TRUE,
    UNIQUE (realm_id, name_key)
);
CREATE INDEX channel_by_count ON channel (realm_id, counted_at);
CREATE INDEX channel_by_closing ON channel (realm_id, closed_seq) WHERE closed_seq IS NOT NULL;

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

CREATE TABLE conversation (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    digest TEXT NOT NULL,
    member_ids TEXT NOT NULL DEFAULT '',
    UNIQUE (realm_id, digest)
);

CREATE TABLE conversation_member (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    conversation_id BIGINT NOT NULL REFERENCES conversation (id),
    PRIMARY KEY (user_id, conversation_id)
);

CREATE TABLE message (
    id {numbered},
    realm_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    topic TEXT NOT NULL DEFAULT '',
    topic_key TEXT NOT NULL DEFAULT '',
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
    closed_seq BIGINT
);
CREATE INDEX message_by_realm ON message (realm_id, id);
CREATE INDEX message_by_topic ON message (channel_id, topic_key, id);
CREATE INDEX message_by_channel ON message (channel_id, id);
CREATE INDEX message_by_sender ON message (sender_id, id);
CREATE INDEX message_direct ON message (realm_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX message_with_link ON message (realm_id, id) WHERE has_link;
CREATE INDEX message_with_image ON message (realm_id, id) WHERE has_image;
CREATE INDEX message_with_attachment ON message (realm_id, id) WHERE has_attachment;
CREATE INDEX message_calling_everybody ON message (realm_id, id) WHERE channel_wildcard;
CREATE INDEX message_resolved ON message (realm_id, id) WHERE substr(topic, 1, 2) = '✔ ';
CREATE INDEX message_moved ON message (realm_id, id) WHERE arrived_seq IS NOT NULL;
CREATE INDEX message_by_conversation ON message (conversation_id, id)
    WHERE conversation_id IS NOT NULL;

CREATE TABLE message_flag (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    flag TEXT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    PRIMARY KEY (user_id, flag, message_id)
);
CREATE INDEX message_flag_by_message ON message_flag (message_id);

CREATE TABLE unread (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    bitmap {blob} NOT NULL,
    caught_up_to BIGINT NOT NULL,
    closings_seen BIGINT NOT NULL DEFAULT 0
);

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

CREATE TABLE log_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL,
    epoch TEXT NOT NULL DEFAULT '',
    rules_seq BIGINT NOT NULL DEFAULT 0
);

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
    channel_id BIGINT
);
CREATE INDEX message_edit_by_message ON message_edit (message_id, id);

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

CREATE TABLE saved_snippet (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX saved_snippet_by_user ON saved_snippet (user_id, id);

CREATE TABLE muted_user (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    muted_id BIGINT NOT NULL REFERENCES account (id),
    muted_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX muted_user_by_muted ON muted_user (muted_id, user_id);

CREATE TABLE alert_word (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    word TEXT NOT NULL,
    word_key TEXT NOT NULL,
    UNIQUE (user_id, word_key)
);
CREATE INDEX alert_word_by_realm ON alert_word (realm_id);

CREATE TABLE presence (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    active_at DOUBLE PRECISION,
    idle_at DOUBLE PRECISION NOT NULL,
    update_id BIGINT NOT NULL
);
CREATE INDEX presence_by_update ON presence (realm_id, update_id);

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

CREATE TABLE search_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    indexed_to BIGINT NOT NULL,
    changes BIGINT NOT NULL DEFAULT 0,
    language TEXT NOT NULL DEFAULT 'english',
    former_languages TEXT NOT NULL DEFAULT '',
    restemmed_to TEXT NOT NULL DEFAULT '',
    resigned_to BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE search_stale (
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    change BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (realm_id, message_id)
){clustered};

CREATE TABLE search_word (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    word TEXT NOT NULL,
    stem TEXT NOT NULL,
    UNIQUE (realm_id, word)
);
CREATE INDEX search_word_by_stem ON search_word (realm_id, stem);

CREATE TABLE search_gram (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    gram TEXT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, gram)
){clustered};

CREATE TABLE search_posting (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    word_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, word_id)
){clustered};

CREATE TABLE search_document (
    message_id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    words {blob} NOT NULL,
    joints {blob},
    change BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX search_document_unjoined ON search_document (realm_id, message_id)
    WHERE joints IS NULL;

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
CREATE INDEX event_turning ON event (realm_id, seq)
    WHERE kind IN ('channel_changed', 'conversation_begun', 'group_members', 'group_subgroups',
        'joined', 'left', 'realm_changed', 'realm_changed_together', 'role', 'user_activity');

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

CREATE TABLE bot_memory (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
);

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

CREATE TABLE avatar (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    medium {blob} NOT NULL
);

CREATE TABLE upload (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION,
    person_id BIGINT REFERENCES account (id),
    awaited_bytes BIGINT NOT NULL DEFAULT 0,
    place TEXT NOT NULL DEFAULT '',
    stored_name TEXT NOT NULL DEFAULT '',
    stored_bytes BIGINT NOT NULL DEFAULT 0,
    stored_digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX upload_by_touch ON upload (touched_at) WHERE touched_at IS NOT NULL;
CREATE INDEX upload_in_database ON upload (id) WHERE place = '' AND touched_at IS NULL;

CREATE TABLE upload_piece (
    realm_id BIGINT NOT NULL,
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    position BIGINT NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (upload_id, position)
);

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

CREATE TABLE attachment_thumbnail (
    realm_id BIGINT NOT NULL,
    attachment_id BIGINT PRIMARY KEY REFERENCES attachment (id),
    data {blob} NOT NULL
);

CREATE TABLE mail_domain (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    with_subdomains BOOLEAN NOT NULL,
    UNIQUE (realm_id, name)
);

CREATE TABLE playground (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    url_template TEXT NOT NULL,
    UNIQUE (realm_id, language, name)
);

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

CREATE TABLE attachment_message (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, message_id)
){clustered};
CREATE INDEX attachment_message_by_message ON attachment_message (message_id);

CREATE TABLE deleted_message (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    newest BIGINT NOT NULL
);
CREATE INDEX deleted_message_by_number ON deleted_message (newest);

CREATE TABLE session (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    fingerprint {blob} NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    address TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    provider_person {blob},
    provider_mark {blob},
    provider_sealed {blob},
    ends_at DOUBLE PRECISION
);
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_age ON session (realm_id, seen_at);
CREATE INDEX session_by_provider ON session (realm_id, provider_person);

CREATE TABLE password_attempt (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name_hash {blob} NOT NULL,
    address TEXT NOT NULL,
    tried_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX password_attempt_by_name ON password_attempt (realm_id, name_hash, tried_at);
CREATE INDEX password_attempt_by_age ON password_attempt (realm_id, tried_at);

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
    tells_inviter BOOLEAN NOT NULL,
    welcome TEXT NOT NULL,
    fingerprint {blob} NOT NULL UNIQUE,
    sealed {blob} NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    ended_at DOUBLE PRECISION,
    is_operators BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX invitation_by_realm ON invitation (realm_id, made_at);
CREATE INDEX invitation_by_email ON invitation (realm_id, email_key);
CREATE INDEX invitation_by_inviter ON invitation (inviter_id);

CREATE TABLE one_time_link (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    purpose TEXT NOT NULL,
    fingerprint {blob} UNIQUE,
    user_id BIGINT REFERENCES account (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    asked_from TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    invitation_id BIGINT REFERENCES invitation (id)
);
CREATE INDEX one_time_link_by_email ON one_time_link (realm_id, purpose, email_key);
CREATE INDEX one_time_link_by_asker ON one_time_link (realm_id, asked_from, made_at);
CREATE INDEX one_time_link_by_user ON one_time_link (user_id);
CREATE INDEX one_time_link_by_address ON one_time_link (email_key, made_at);

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

CREATE TABLE login_departure (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    state_hash {blob} NOT NULL UNIQUE,
    browser_hash {blob} NOT NULL,
    sealed {blob} NOT NULL,
    left_at DOUBLE PRECISION NOT NULL,
    user_id BIGINT REFERENCES account (id)
);
CREATE INDEX login_departure_by_age ON login_departure (realm_id, left_at);
CREATE INDEX login_departure_by_user ON login_departure (user_id);

CREATE TABLE login_token (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    token_hash {blob} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES account (id),
    method TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX login_token_by_user ON login_token (user_id);
CREATE INDEX login_token_by_age ON login_token (realm_id, made_at);

CREATE TABLE navigation_view (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    fragment TEXT NOT NULL,
    name TEXT,
    is_pinned BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_view_by_realm ON navigation_view (realm_id);

CREATE TABLE missed_position (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL
);

CREATE TABLE missed_message (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    reason TEXT NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX missed_message_by_message ON missed_message (message_id);
CREATE INDEX missed_message_by_realm ON missed_message (realm_id);

CREATE TABLE missed_timer (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX missed_timer_by_due ON missed_timer (due_at);

CREATE TABLE push_key (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    public TEXT NOT NULL,
    sealed {blob} NOT NULL
);

CREATE TABLE push_subscription (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    endpoint TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX push_subscription_by_user ON push_subscription (user_id, id);
CREATE INDEX push_subscription_by_realm ON push_subscription (realm_id);

CREATE TABLE push_notice (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    due_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notice_by_message ON push_notice (message_id);
CREATE INDEX push_notice_by_due ON push_notice (due_at);
CREATE INDEX push_notice_by_realm ON push_notice (realm_id);

CREATE TABLE realm_picture (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    PRIMARY KEY (realm_id, kind)
);

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

CREATE TABLE import_run (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    messages_done BIGINT NOT NULL,
    is_finished BOOLEAN NOT NULL DEFAULT FALSE,
    bringer TEXT NOT NULL DEFAULT ''
);

CREATE TABLE realm_export (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    asked_at DOUBLE PRECISION NOT NULL,
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

CREATE TABLE search_joint (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    joint BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, joint)
){clustered};

CREATE TABLE code_app (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sealed {blob} NOT NULL,  -- the secret that it shares with us
    last_step BIGINT NOT NULL,  -- of the last code that was used: no earlier one is good any more
    made_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE recovery_code (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    code_hash {blob} NOT NULL
);
CREATE INDEX recovery_code_by_user ON recovery_code (user_id);

CREATE TABLE passkey (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    name TEXT NOT NULL,
    credential {blob} NOT NULL,  -- its name for itself and its public key
    sign_count BIGINT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION
);
CREATE INDEX passkey_by_user ON passkey (user_id);

CREATE TABLE login_place (
    user_id BIGINT NOT NULL REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    mark {blob} NOT NULL,  -- a fingerprint of the network and the kind of browser
    seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, mark)
);
CREATE INDEX login_place_by_age ON login_place (realm_id, seen_at);

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

CREATE TABLE channel_address (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    sender_id BIGINT REFERENCES account (id),
    made_by BIGINT NOT NULL REFERENCES account (id)
);
CREATE INDEX channel_address_by_realm ON channel_address (realm_id);

CREATE TABLE received_mail (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    address_hash TEXT NOT NULL,
    received_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX received_mail_by_address ON received_mail (address_hash, received_at);
CREATE INDEX received_mail_by_time ON received_mail (received_at);
CREATE INDEX received_mail_by_realm ON received_mail (realm_id);

CREATE TABLE digest (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    written_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX digest_by_realm ON digest (realm_id);

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

CREATE TABLE file_hold (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE search_signature (
    realm_id BIGINT NOT NULL,
    part BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, part, message_id)
){clustered};

CREATE TABLE server_note (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
){clustered};

CREATE TABLE installation (
    id TEXT NOT NULL PRIMARY KEY,
    timeline TEXT NOT NULL DEFAULT ''
);
INSERT INTO installation (id) VALUES ({random_id});

CREATE TABLE outbox (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    transport TEXT NOT NULL,
    kind TEXT NOT NULL,
    lane BIGINT,
    user_id BIGINT REFERENCES account (id),
    message_id BIGINT REFERENCES message (id),
    device_id BIGINT REFERENCES device (id),
    sealed {blob},
    told TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_due ON outbox (transport, due_at);
CREATE INDEX outbox_by_message ON outbox (message_id);
CREATE INDEX outbox_by_user ON outbox (user_id);
CREATE INDEX outbox_by_device ON outbox (device_id);
CREATE INDEX outbox_by_realm ON outbox (realm_id);
CREATE UNIQUE INDEX outbox_push ON outbox (user_id, message_id) WHERE transport = 'push';

CREATE TABLE search_budget (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    person_id BIGINT NOT NULL REFERENCES account (id),
    words DOUBLE PRECISION NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, person_id)
){clustered};

CREATE TABLE agent_client (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    client_id TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE UNIQUE INDEX agent_client_by_client_id ON agent_client (realm_id, client_id);

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

CREATE TABLE attachment_scheduled (
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    scheduled_id BIGINT NOT NULL REFERENCES scheduled_message (id),
    realm_id BIGINT NOT NULL,
    PRIMARY KEY (attachment_id, scheduled_id)
){clustered};
CREATE INDEX attachment_scheduled_by_message ON attachment_scheduled (scheduled_id);

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

CREATE TABLE server_report (
    id TEXT NOT NULL PRIMARY KEY,
    seen_at DOUBLE PRECISION NOT NULL,
    report TEXT NOT NULL
){clustered};

CREATE TABLE server_sample (
    server_id TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    sample TEXT NOT NULL,
    PRIMARY KEY (server_id, at)
){clustered};

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

CREATE TABLE removed_link_preview (
    message_id BIGINT PRIMARY KEY REFERENCES message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id)
);
CREATE INDEX removed_link_preview_by_realm ON removed_link_preview (realm_id);

CREATE TABLE kept_message (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    topic TEXT NOT NULL,
    topic_key TEXT NOT NULL,
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    client TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    is_me BOOLEAN NOT NULL,
    channel_wildcard BOOLEAN NOT NULL,
    has_link BOOLEAN NOT NULL,
    has_image BOOLEAN NOT NULL,
    has_attachment BOOLEAN NOT NULL,
    origin_channel_id BIGINT,
    arrived_seq BIGINT,
    edited_at DOUBLE PRECISION,
    moved_at DOUBLE PRECISION,
    resolve_notice BOOLEAN NOT NULL,
    closed_seq BIGINT,
    reason TEXT NOT NULL,
    deleted_at DOUBLE PRECISION NOT NULL,
    deleted_by BIGINT REFERENCES account (id),
    purge_after DOUBLE PRECISION NOT NULL
);
CREATE INDEX kept_message_by_purge ON kept_message (purge_after);
CREATE INDEX kept_message_by_realm ON kept_message (realm_id, id);
CREATE INDEX kept_message_by_channel ON kept_message (channel_id, topic_key, id);
CREATE INDEX kept_message_by_conversation ON kept_message (conversation_id, id);
CREATE INDEX kept_message_by_sender ON kept_message (sender_id, id);
CREATE INDEX kept_message_by_deleter ON kept_message (deleted_by);

CREATE TABLE kept_message_flag (
    user_id BIGINT NOT NULL REFERENCES account (id),
    flag TEXT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (user_id, flag, message_id)
);
CREATE INDEX kept_message_flag_by_message ON kept_message_flag (message_id);
CREATE INDEX kept_message_flag_by_realm ON kept_message_flag (realm_id);

CREATE TABLE kept_reaction (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    emoji_name TEXT NOT NULL,
    emoji_code TEXT NOT NULL,
    reaction_type TEXT NOT NULL
);
CREATE INDEX kept_reaction_by_message ON kept_reaction (message_id);
CREATE INDEX kept_reaction_by_user ON kept_reaction (user_id);
CREATE INDEX kept_reaction_by_realm ON kept_reaction (realm_id);

CREATE TABLE kept_message_edit (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT
);
CREATE INDEX kept_message_edit_by_message ON kept_message_edit (message_id, id);
CREATE INDEX kept_message_edit_by_user ON kept_message_edit (user_id);
CREATE INDEX kept_message_edit_by_realm ON kept_message_edit (realm_id);

CREATE TABLE kept_submessage (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    msg_type TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX kept_submessage_by_message ON kept_submessage (message_id, id);
CREATE INDEX kept_submessage_by_sender ON kept_submessage (sender_id);
CREATE INDEX kept_submessage_by_realm ON kept_submessage (realm_id);

CREATE TABLE kept_removed_link_preview (
    message_id BIGINT PRIMARY KEY REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id)
);
CREATE INDEX kept_removed_link_preview_by_realm ON kept_removed_link_preview (realm_id);

CREATE TABLE kept_attachment_message (
    attachment_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX kept_attachment_message_by_message ON kept_attachment_message (message_id);
CREATE INDEX kept_attachment_message_by_realm ON kept_attachment_message (realm_id);

CREATE TABLE kept_attachment (
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
CREATE INDEX kept_attachment_by_owner ON kept_attachment (owner_id);
CREATE INDEX kept_attachment_by_upload ON kept_attachment (upload_id);
CREATE INDEX kept_attachment_by_realm ON kept_attachment (realm_id);

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

CREATE TABLE held_message_edit (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT
);
CREATE INDEX held_message_edit_by_message ON held_message_edit (message_id, id);
CREATE INDEX held_message_edit_by_user ON held_message_edit (user_id);
CREATE INDEX held_message_edit_by_realm ON held_message_edit (realm_id, id);

CREATE TABLE schema_change (
    number INTEGER NOT NULL PRIMARY KEY
);
