/**
 * What the API answers: written by scripts/page_types.py from its description.
 * Of which the digest is 33dce2e83543bfd03bef4390d7d43b05af42b1778ed6ce0e060b7eddd28f14e4.
 */
export interface components {
    schemas: {
        Answers: {
            "GET /answers": components["schemas"]["Envelope"] & components["schemas"]["OpenAnswerList"];
            "POST /answers": components["schemas"]["Envelope"] & components["schemas"]["StartedAnswer"];
            "PATCH /answers/{answer_token}": components["schemas"]["Envelope"] & components["schemas"]["WrittenAnswer"];
            "DELETE /answers/{answer_token}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /answers/{answer_token}/finish": components["schemas"]["Envelope"] & components["schemas"]["SentMessage"];
            "POST /answers/{answer_token}/stop": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /attachments": components["schemas"]["Envelope"] & components["schemas"]["OwnAttachments"];
            "DELETE /attachments/{attachment_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /bot_storage": components["schemas"]["Envelope"] & components["schemas"]["Storage"];
            "PUT /bot_storage": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /bot_storage": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /bots": components["schemas"]["Envelope"] & components["schemas"]["OwnBots"];
            "POST /bots": components["schemas"]["Envelope"] & components["schemas"]["CreatedBot"];
            "PATCH /bots/{bot_id}": components["schemas"]["Envelope"] & components["schemas"]["ChangedBot"];
            "DELETE /bots/{bot_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /bots/{bot_id}/api_key": components["schemas"]["Envelope"] & components["schemas"]["Key"];
            "POST /bots/{bot_id}/api_key/regenerate": components["schemas"]["Envelope"] & components["schemas"]["Key"];
            "GET /calls": components["schemas"]["Envelope"] & components["schemas"]["CallList"];
            "POST /calls": components["schemas"]["Envelope"] & components["schemas"]["JoinedCall"];
            "GET /calls/bigbluebutton/create": components["schemas"]["Envelope"] & components["schemas"]["CallLink"];
            "POST /calls/nextcloud_talk/create": components["schemas"]["Envelope"] & components["schemas"]["CallLink"];
            "POST /calls/{call_token}/decline": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /calls/{call_token}/sessions": components["schemas"]["Envelope"] & components["schemas"]["JoinedCall"];
            "PATCH /calls/{call_token}/sessions/{session_id}": components["schemas"]["Envelope"] & components["schemas"]["CallReply"];
            "DELETE /calls/{call_token}/sessions/{session_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /calls/{call_token}/sessions/{session_id}/ring": components["schemas"]["Envelope"] & components["schemas"]["CallReply"];
            "POST /calls/{call_token}/sessions/{session_id}/signals": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /channel_folders": components["schemas"]["Envelope"] & components["schemas"]["Folders"];
            "PATCH /channel_folders": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /channel_folders/create": components["schemas"]["Envelope"] & components["schemas"]["NewFolder"];
            "PATCH /channel_folders/{channel_folder_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /channels/create": components["schemas"]["Envelope"] & components["schemas"]["CreatedChannel"];
            "GET /commands": components["schemas"]["Envelope"] & components["schemas"]["CommandList"];
            "POST /commands": components["schemas"]["Envelope"] & components["schemas"]["RegisteredCommand"];
            "GET /commands/managed": components["schemas"]["Envelope"] & components["schemas"]["ManagedCommands"];
            "PATCH /commands/{command_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /commands/{command_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /commands/{command_id}/calls": components["schemas"]["Envelope"] & components["schemas"]["InteractionReply"];
            "POST /default_streams": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /default_streams": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /drafts": components["schemas"]["Envelope"] & components["schemas"]["Drafts"];
            "POST /drafts": components["schemas"]["Envelope"] & components["schemas"]["DraftIds"];
            "PATCH /drafts/{draft_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /drafts/{draft_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /events": components["schemas"]["Envelope"] & components["schemas"]["Events"];
            "DELETE /events": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /export/realm": components["schemas"]["Envelope"] & components["schemas"]["Exports"];
            "POST /export/realm": components["schemas"]["Envelope"] & components["schemas"]["StartedExport"];
            "GET /export/realm/consents": components["schemas"]["Envelope"] & components["schemas"]["Consents"];
            "DELETE /export/realm/{export_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /external/{integration}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /external/{integration}": components["schemas"]["Envelope"] & components["schemas"]["Received"];
            "POST /fetch_api_key": components["schemas"]["Envelope"] & components["schemas"]["ApiKey"];
            "GET /get_stream_id": components["schemas"]["Envelope"] & components["schemas"]["StreamId"];
            "GET /integrations": components["schemas"]["Envelope"] & components["schemas"]["Catalogue"];
            "GET /integrations/bots": components["schemas"]["Envelope"] & components["schemas"]["IntegrationBots"];
            "POST /integrations/template/preview": components["schemas"]["Envelope"] & components["schemas"]["TemplatePreview"];
            "POST /integrations/{integration}/example": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /interactions": components["schemas"]["Envelope"] & components["schemas"]["InteractionList"];
            "POST /interactions/fetch": components["schemas"]["Envelope"] & components["schemas"]["FetchedInteractions"];
            "DELETE /interactions/{interaction_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /interactions/{interaction_id}/answer": components["schemas"]["Envelope"] & components["schemas"]["AnswerReply"];
            "GET /interactions/{interaction_id}/files/{field}": components["schemas"]["Envelope"] & components["schemas"]["FileLink"];
            "POST /interactions/{interaction_id}/form": components["schemas"]["Envelope"] & components["schemas"]["InteractionReply"];
            "GET /invites": components["schemas"]["Envelope"] & components["schemas"]["Invitations"];
            "POST /invites": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /invites/multiuse": components["schemas"]["Envelope"] & components["schemas"]["InvitationLink"];
            "DELETE /invites/multiuse/{invite_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /invites/{invite_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /invites/{invite_id}/resend": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /jwt/fetch_api_key": components["schemas"]["Envelope"] & components["schemas"]["JwtApiKey"];
            "POST /mark_all_as_read": components["schemas"]["Envelope"] & components["schemas"]["AllRead"];
            "POST /mark_stream_as_read": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /mark_topic_as_read": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /messages": components["schemas"]["Envelope"] & components["schemas"]["Messages"];
            "POST /messages": components["schemas"]["Envelope"] & components["schemas"]["SentMessage"];
            "GET /messages/catch_up": components["schemas"]["Envelope"] & components["schemas"]["CatchUp"];
            "POST /messages/flags": components["schemas"]["Envelope"] & components["schemas"]["FlagsUpdated"];
            "POST /messages/flags/narrow": components["schemas"]["Envelope"] & components["schemas"]["NarrowUpdated"];
            "GET /messages/matches_narrow": components["schemas"]["Envelope"] & components["schemas"]["Matches"];
            "POST /messages/render": components["schemas"]["Envelope"] & components["schemas"]["RenderedText"];
            "GET /messages/{message_id}": components["schemas"]["Envelope"] & components["schemas"]["OneMessage"];
            "PATCH /messages/{message_id}": components["schemas"]["Envelope"] & components["schemas"]["EditedMessage"];
            "DELETE /messages/{message_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "PATCH /messages/{message_id}/buttons": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /messages/{message_id}/history": components["schemas"]["Envelope"] & components["schemas"]["EditHistory"];
            "DELETE /messages/{message_id}/link_previews": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /messages/{message_id}/press": components["schemas"]["Envelope"] & components["schemas"]["InteractionReply"];
            "POST /messages/{message_id}/reactions": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /messages/{message_id}/reactions": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /messages/{message_id}/read_receipts": components["schemas"]["Envelope"] & components["schemas"]["Readers"];
            "POST /messages/{message_id}/report": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /messages/{message_id}/typing": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /mobile_push/e2ee/test_notification": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /mobile_push/register": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /mobile_push/test_notification": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /navigation_views": components["schemas"]["Envelope"] & components["schemas"]["NavigationViews"];
            "POST /navigation_views": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "PATCH /navigation_views/{fragment}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /navigation_views/{fragment}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /push_servers": components["schemas"]["Envelope"] & components["schemas"]["PushServers"];
            "POST /push_servers": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /push_servers": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /push_servers/test": components["schemas"]["Envelope"] & components["schemas"]["PushServerTest"];
            "PATCH /realm": components["schemas"]["Envelope"] & components["schemas"]["ChangedSettings"];
            "GET /realm/accounts": components["schemas"]["Envelope"] & components["schemas"]["AccountList"];
            "PATCH /realm/accounts": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/agents": components["schemas"]["Envelope"] & components["schemas"]["Agents"];
            "DELETE /realm/agents/{agent_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/audit_log": components["schemas"]["Envelope"] & components["schemas"]["AuditLog"];
            "GET /realm/audit_log/{entry_id}": components["schemas"]["Envelope"] & components["schemas"]["OneAuditEntry"];
            "POST /realm/deactivate": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/domains": components["schemas"]["Envelope"] & components["schemas"]["Domains"];
            "POST /realm/domains": components["schemas"]["Envelope"] & components["schemas"]["AddedMailDomain"];
            "PATCH /realm/domains/{domain}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /realm/domains/{domain}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/emoji": components["schemas"]["Envelope"] & components["schemas"]["EmojiList"];
            "POST /realm/emoji/{emoji_name}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /realm/emoji/{emoji_name}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /realm/filters": components["schemas"]["Envelope"] & components["schemas"]["AddedLinkifier"];
            "PATCH /realm/filters/{filter_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /realm/filters/{filter_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /realm/icon": components["schemas"]["Envelope"] & components["schemas"]["IconUrl"];
            "DELETE /realm/icon": components["schemas"]["Envelope"] & components["schemas"]["IconUrl"];
            "GET /realm/legal_holds": components["schemas"]["Envelope"] & components["schemas"]["LegalHolds"];
            "POST /realm/legal_holds": components["schemas"]["Envelope"] & components["schemas"]["NewLegalHolds"];
            "DELETE /realm/legal_holds/{hold_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/linkifiers": components["schemas"]["Envelope"] & components["schemas"]["Linkifiers"];
            "PATCH /realm/linkifiers": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /realm/logo": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /realm/logo": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /realm/playgrounds": components["schemas"]["Envelope"] & components["schemas"]["AddedPlayground"];
            "DELETE /realm/playgrounds/{playground_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/presence": components["schemas"]["Envelope"] & components["schemas"]["Presences"];
            "GET /realm/profile_fields": components["schemas"]["Envelope"] & components["schemas"]["Fields"];
            "POST /realm/profile_fields": components["schemas"]["Envelope"] & components["schemas"]["NewField"];
            "PATCH /realm/profile_fields": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "PATCH /realm/profile_fields/{field_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /realm/profile_fields/{field_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /realm/retention_preview": components["schemas"]["Envelope"] & components["schemas"]["RetentionPreview"];
            "GET /realm/settings": components["schemas"]["Envelope"] & components["schemas"]["SettingList"];
            "POST /realm/test_welcome_bot_custom_message": components["schemas"]["Envelope"] & components["schemas"]["TestMessage"];
            "GET /realm/usage": components["schemas"]["Envelope"] & components["schemas"]["UsageReport"];
            "PATCH /realm/user_settings_defaults": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /register": components["schemas"]["Envelope"] & components["schemas"]["Registered"];
            "POST /register_client_device": components["schemas"]["Envelope"] & components["schemas"]["NewDevice"];
            "GET /reminders": components["schemas"]["Envelope"] & components["schemas"]["Reminders"];
            "POST /reminders": components["schemas"]["Envelope"] & components["schemas"]["CreatedReminder"];
            "DELETE /reminders/{reminder_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /remove_client_device": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /saved_snippets": components["schemas"]["Envelope"] & components["schemas"]["Snippets"];
            "POST /saved_snippets": components["schemas"]["Envelope"] & components["schemas"]["SnippetId"];
            "PATCH /saved_snippets/{saved_snippet_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /saved_snippets/{saved_snippet_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /scheduled_messages": components["schemas"]["Envelope"] & components["schemas"]["ScheduledMessages"];
            "POST /scheduled_messages": components["schemas"]["Envelope"] & components["schemas"]["CreatedScheduledMessage"];
            "PATCH /scheduled_messages/{scheduled_message_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /scheduled_messages/{scheduled_message_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /server_health": components["schemas"]["Envelope"] & components["schemas"]["ServerHealth"];
            "GET /server_settings": components["schemas"]["Envelope"] & components["schemas"]["ServerSettings"];
            "PATCH /settings": components["schemas"]["Envelope"] & components["schemas"]["SettingsChanged"];
            "PATCH /settings/display": components["schemas"]["Envelope"] & components["schemas"]["SettingsChanged"];
            "PATCH /settings/notifications": components["schemas"]["Envelope"] & components["schemas"]["SettingsChanged"];
            "GET /streams": components["schemas"]["Envelope"] & components["schemas"]["Streams"];
            "GET /streams/{stream_id}": components["schemas"]["Envelope"] & components["schemas"]["OneStream"];
            "PATCH /streams/{stream_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /streams/{stream_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /streams/{stream_id}/delete_topic": components["schemas"]["Envelope"] & components["schemas"]["TopicDeleted"];
            "GET /streams/{stream_id}/email_address": components["schemas"]["Envelope"] & components["schemas"]["EmailAddress"];
            "POST /streams/{stream_id}/email_address/regenerate": components["schemas"]["Envelope"] & components["schemas"]["EmailAddress"];
            "POST /streams/{stream_id}/export": components["schemas"]["Envelope"] & components["schemas"]["StartedExport"];
            "GET /streams/{stream_id}/forum": components["schemas"]["Envelope"] & components["schemas"]["Forum"];
            "GET /streams/{stream_id}/members": components["schemas"]["Envelope"] & components["schemas"]["SubscriberIds"];
            "GET /streams/{stream_id}/topic_deletion_preview": components["schemas"]["Envelope"] & components["schemas"]["TopicDeletionPreview"];
            "GET /streams/{stream_id}/topic_summaries": components["schemas"]["Envelope"] & components["schemas"]["SummaryRules"];
            "POST /streams/{stream_id}/topic_summaries": components["schemas"]["Envelope"] & components["schemas"]["TopicSummary"];
            "PATCH /streams/{stream_id}/topic_summaries": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /submessage": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /thumbnail/status/{realm_id_str}/{filename}": components["schemas"]["Envelope"] & components["schemas"]["ThumbnailStatus"];
            "POST /typing": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /user_groups": components["schemas"]["Envelope"] & components["schemas"]["GroupList"];
            "POST /user_groups/create": components["schemas"]["Envelope"] & components["schemas"]["CreatedGroup"];
            "PATCH /user_groups/{group_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /user_groups/{group_id}/deactivate": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /user_groups/{group_id}/members": components["schemas"]["Envelope"] & components["schemas"]["MemberIds"];
            "POST /user_groups/{group_id}/members": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /user_groups/{group_id}/members/{user_id}": components["schemas"]["Envelope"] & components["schemas"]["Membership"];
            "GET /user_groups/{group_id}/subgroups": components["schemas"]["Envelope"] & components["schemas"]["SubgroupIds"];
            "POST /user_groups/{group_id}/subgroups": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /user_topics": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /user_uploads": components["schemas"]["Envelope"] & components["schemas"]["Uploaded"];
            "GET /user_uploads/{realm_id_str}/{filename}": components["schemas"]["Envelope"] & components["schemas"]["TemporaryLink"];
            "GET /users": components["schemas"]["Envelope"] & components["schemas"]["UserList"];
            "POST /users": components["schemas"]["Envelope"] & components["schemas"]["NewId"];
            "GET /users/me": components["schemas"]["Envelope"] & components["schemas"]["Myself"];
            "DELETE /users/me": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/me/agents": components["schemas"]["Envelope"] & components["schemas"]["Agents"];
            "DELETE /users/me/agents/{agent_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/me/alert_words": components["schemas"]["Envelope"] & components["schemas"]["AlertWords"];
            "POST /users/me/alert_words": components["schemas"]["Envelope"] & components["schemas"]["AlertWords"];
            "DELETE /users/me/alert_words": components["schemas"]["Envelope"] & components["schemas"]["AlertWords"];
            "POST /users/me/android_gcm_reg_id": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/me/android_gcm_reg_id": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/api_key/regenerate": components["schemas"]["Envelope"] & components["schemas"]["NewKey"];
            "POST /users/me/apns_device_token": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/me/apns_device_token": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/avatar": components["schemas"]["Envelope"] & components["schemas"]["AvatarUrl"];
            "DELETE /users/me/avatar": components["schemas"]["Envelope"] & components["schemas"]["AvatarUrl"];
            "POST /users/me/muted_users/{muted_user_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/me/muted_users/{muted_user_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/presence": components["schemas"]["Envelope"] & components["schemas"]["Presences"];
            "PATCH /users/me/profile_data": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/me/profile_data": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/me/second_factor": components["schemas"]["Envelope"] & components["schemas"]["SecondFactor"];
            "DELETE /users/me/second_factor": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/second_factor/app": components["schemas"]["Envelope"] & components["schemas"]["RecoveryCodes"];
            "POST /users/me/second_factor/passkeys": components["schemas"]["Envelope"] & components["schemas"]["RecoveryCodes"];
            "POST /users/me/second_factor/passkeys/begin": components["schemas"]["Envelope"] & components["schemas"]["PasskeyOptions"];
            "DELETE /users/me/second_factor/passkeys/{passkey_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/second_factor/recovery_codes": components["schemas"]["Envelope"] & components["schemas"]["RecoveryCodes"];
            "POST /users/me/second_factor/secret": components["schemas"]["Envelope"] & components["schemas"]["NewSecret"];
            "GET /users/me/sessions": components["schemas"]["Envelope"] & components["schemas"]["Sessions"];
            "DELETE /users/me/sessions": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/me/sessions/{session_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/status": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/me/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["Subscriptions"];
            "POST /users/me/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["Subscribed"];
            "PATCH /users/me/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["EditedSubscriptions"];
            "DELETE /users/me/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["Unsubscribed"];
            "PATCH /users/me/subscriptions/muted_topics": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/me/subscriptions/properties": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "PATCH /users/me/subscriptions/{stream_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/me/{stream_id}/topics": components["schemas"]["Envelope"] & components["schemas"]["Topics"];
            "GET /users/{email}": components["schemas"]["Envelope"] & components["schemas"]["OneUser"];
            "PATCH /users/{email}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/{email}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/{email}/presence": components["schemas"]["Envelope"] & components["schemas"]["OnePresence"];
            "GET /users/{user_id}": components["schemas"]["Envelope"] & components["schemas"]["OneUser"];
            "PATCH /users/{user_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/{user_id}": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/{user_id}/account": components["schemas"]["Envelope"] & components["schemas"]["AccountReply"];
            "POST /users/{user_id}/api_key/regenerate": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/{user_id}/channels": components["schemas"]["Envelope"] & components["schemas"]["SubscribedChannels"];
            "POST /users/{user_id}/erase": components["schemas"]["Envelope"] & components["schemas"]["Erased"];
            "POST /users/{user_id}/export": components["schemas"]["Envelope"] & components["schemas"]["StartedExport"];
            "DELETE /users/{user_id}/password": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /users/{user_id}/password_link": components["schemas"]["Envelope"] & components["schemas"]["PasswordLink"];
            "GET /users/{user_id}/presence": components["schemas"]["Envelope"] & components["schemas"]["OnePresence"];
            "POST /users/{user_id}/reactivate": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/{user_id}/second_factor": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "DELETE /users/{user_id}/sessions": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/{user_id}/status": components["schemas"]["Envelope"] & components["schemas"]["OneStatus"];
            "POST /users/{user_id}/status": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "GET /users/{user_id}/subscriptions/{stream_id}": components["schemas"]["Envelope"] & components["schemas"]["IsSubscribed"];
            "GET /web_push/key": components["schemas"]["Envelope"] & components["schemas"]["PublicKey"];
            "POST /web_push/mute": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /web_push/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["NewSubscription"];
            "DELETE /web_push/subscriptions": components["schemas"]["Envelope"] & components["schemas"]["Reply"];
            "POST /web_push/test": components["schemas"]["Envelope"] & components["schemas"]["TestResult"];
        };
        AccountList: {
            accounts: components["schemas"]["AccountObject"][];
            count: number;
        };
        AccountObject: {
            user_id: number;
            full_name: string;
            delivery_email: string | null;
            role: number;
            is_active: boolean;
            is_bot: boolean;
            bot_owner_id: number | null;
            date_joined: number;
            last_active: number | null;
            session_count: number;
            has_second_factor: boolean;
            upload_bytes: number;
        };
        AccountReply: {
            account: components["schemas"]["AccountObject"];
            sessions: components["schemas"]["SessionObject"][];
            group_ids: number[];
            bot_ids: number[];
            space_used: number;
            space_quota: number | null;
            message_count: number;
            oldest_timestamp: number | null;
            newest_timestamp: number | null;
        };
        AddedLinkifier: {
            id: number;
        };
        AddedMailDomain: {
            new_domain: [
                number,
                string
            ];
        };
        AddedPlayground: {
            id: number;
        };
        AgentObject: {
            id: number;
            user_id: number;
            name: string;
            readable_channels: number[];
            writable_channels: number[];
            reads_direct_messages: boolean;
            sees_people: boolean;
            created: number;
            expires: number | null;
            last_used: number | null;
        };
        Agents: {
            agents: components["schemas"]["AgentObject"][];
        };
        AlertWords: {
            alert_words: string[];
        };
        AlertWordsEvent: {
            type: "alert_words";
            alert_words: string[];
            id: number;
        };
        AllRead: {
            complete: boolean;
        };
        AnswerEndEvent: {
            type: "answer";
            op: "end";
            answer_token: string;
            sender_id: number;
            asked_by: number | null;
            started: number;
            message_type: "direct" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            message_id: number | null;
            id: number;
        };
        AnswerEvent: components["schemas"]["AnswerEndEvent"] | components["schemas"]["AnswerStartEvent"] | components["schemas"]["AnswerStopEvent"] | components["schemas"]["AnswerUpdateEvent"];
        AnswerReply: {
            message_id: number | null;
        };
        AnswerStartEvent: {
            type: "answer";
            op: "start";
            answer_token: string;
            sender_id: number;
            asked_by: number | null;
            started: number;
            message_type: "direct" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            id: number;
        };
        AnswerStopEvent: {
            type: "answer";
            op: "stop";
            answer_token: string;
            sender_id: number;
            asked_by: number | null;
            started: number;
            message_type: "direct" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            id: number;
        };
        AnswerUpdateEvent: {
            type: "answer";
            op: "update";
            answer_token: string;
            sender_id: number;
            asked_by: number | null;
            started: number;
            message_type: "direct" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            position: number;
            content: string;
            status_line: string;
            id: number;
        };
        ApiKey: {
            api_key: string;
            email: string;
            user_id: number;
        };
        AttachmentAddEvent: {
            type: "attachment";
            op: "add";
            attachment: components["schemas"]["AttachmentObject"];
            upload_space_used: number;
            id: number;
        };
        AttachmentEvent: components["schemas"]["AttachmentAddEvent"] | components["schemas"]["AttachmentUpdateEvent"] | components["schemas"]["AttachmentRemoveEvent"];
        AttachmentObject: {
            id: number;
            name: string;
            path_id: string;
            size: number;
            create_time: number;
            message_ids: number[];
        };
        AttachmentReference: {
            id: number;
        };
        AttachmentRemoveEvent: {
            type: "attachment";
            op: "remove";
            attachment: components["schemas"]["AttachmentReference"];
            upload_space_used: number;
            id: number;
        };
        AttachmentUpdateEvent: {
            type: "attachment";
            op: "update";
            attachment: components["schemas"]["AttachmentObject"];
            upload_space_used: number;
            id: number;
        };
        AuditEntry: {
            id: number;
            at: number;
            actor_id: number | null;
            address: string;
            act: string;
            details: Record<string, unknown>;
            result: string;
            area: string;
            object: string | null;
        };
        AuditLog: {
            entries: components["schemas"]["AuditEntry"][];
            count: number;
            is_count_complete: boolean;
            kept_days: number;
        };
        AvatarUrl: {
            avatar_url: string | null;
        };
        Billing: {
            has_pending_sponsorship_request: boolean;
        };
        BotObject: {
            user_id: number;
            default_sending_stream: string | null;
            default_events_register_stream: string | null;
            default_all_public_streams: boolean;
            services: components["schemas"]["ServiceObject"][];
        };
        BotReference: {
            user_id: number;
        };
        CallEndEvent: {
            type: "call";
            op: "end";
            call: components["schemas"]["CallObject"];
            id: number;
        };
        CallEvent: components["schemas"]["CallUpdateEvent"] | components["schemas"]["CallEndEvent"];
        CallLink: {
            url: string;
        };
        CallList: {
            calls: components["schemas"]["CallObject"][];
        };
        CallObject: {
            call_token: string;
            message_id: number;
            sender_id: number;
            started: number;
            message_type: "direct" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            participants: components["schemas"]["CallParticipant"][];
            ringing: number[];
            ringing_until: number;
            rung_by: number;
        };
        CallParticipant: {
            session_id: number;
            user_id: number;
            muted: boolean;
            camera: boolean;
            screen: boolean;
        };
        CallReply: {
            call: components["schemas"]["CallObject"];
        };
        CallSignalEvent: {
            type: "call_signal";
            call_token: string;
            sender_session_id: number;
            session_id: number;
            signal: string;
            id: number;
        };
        CallUpdateEvent: {
            type: "call";
            op: "update";
            call: components["schemas"]["CallObject"];
            id: number;
        };
        Catalogue: {
            integrations: components["schemas"]["CatalogueEntry"][];
        };
        CatalogueEntry: {
            name: string;
            display_name: string;
            setup: string;
            is_signed: boolean;
            all_event_types: string[] | null;
        };
        CatchUp: {
            conversations: components["schemas"]["CaughtUpConversation"][];
            conversation_count: number;
            message_count: number;
            since: number | null;
            older_left_out: boolean;
        };
        CaughtUpConversation: {
            stream_id: number | null;
            topic: string;
            user_ids: number[];
            message_count: number;
            first_message_id: number;
            calls_you: boolean;
            sentences: components["schemas"]["QuotedSentence"][];
        };
        ChangedBot: {
            default_sending_stream: string | null;
            default_events_register_stream: string | null;
            default_all_public_streams: boolean;
            full_name: string;
            avatar_url: string | null;
            service_interface: number;
            service_payload_url: string | null;
            config_data: {
                [key: string]: string;
            } | null;
            bot_owner: string | null;
        };
        ChangedBotObject: {
            user_id: number;
            default_sending_stream?: string | null;
            default_events_register_stream?: string | null;
            default_all_public_streams?: boolean;
            services?: components["schemas"]["ServiceObject"][];
        };
        ChangedGroupObject: {
            name?: string;
            description?: string;
            deactivated?: boolean;
            can_add_members_group?: number | components["schemas"]["Members"];
            can_join_group?: number | components["schemas"]["Members"];
            can_leave_group?: number | components["schemas"]["Members"];
            can_manage_group?: number | components["schemas"]["Members"];
            can_mention_group?: number | components["schemas"]["Members"];
            can_remove_members_group?: number | components["schemas"]["Members"];
        };
        ChangedSettings: {
            [key: string]: unknown;
        };
        ChangedValue: {
            id: number;
            value: string | null;
            rendered_value?: string;
        };
        ChannelFolderAddEvent: {
            type: "channel_folder";
            op: "add";
            channel_folder: components["schemas"]["FolderObject"];
            id: number;
        };
        ChannelFolderEvent: components["schemas"]["ChannelFolderAddEvent"] | components["schemas"]["ChannelFolderReorderEvent"] | components["schemas"]["ChannelFolderUpdateEvent"];
        ChannelFolderReorderEvent: {
            type: "channel_folder";
            op: "reorder";
            order: number[];
            id: number;
        };
        ChannelFolderUpdateEvent: {
            type: "channel_folder";
            op: "update";
            channel_folder_id: number;
            data: components["schemas"]["FolderChanges"];
            id: number;
        };
        ChannelObject: {
            stream_id: number;
            name: string;
            description: string;
            rendered_description: string;
            date_created: number;
            creator_id: number | null;
            invite_only: boolean;
            is_web_public: boolean;
            history_public_to_subscribers: boolean;
            is_archived: boolean;
            folder_id: number | null;
            first_message_id: number | null;
            is_recently_active: boolean;
            message_retention_days: number | null;
            topics_policy: string;
            stream_post_policy: number;
            is_announcement_only: boolean;
            stream_weekly_traffic: number | null;
            subscriber_count: number;
            default_push_notifications: boolean;
            topic_summaries_allowed: boolean;
            slow_mode_seconds: number;
            slow_mode_until: number | null;
            can_add_subscribers_group: number | components["schemas"]["Members"];
            can_administer_channel_group: number | components["schemas"]["Members"];
            can_create_topic_group: number | components["schemas"]["Members"];
            can_delete_any_message_group: number | components["schemas"]["Members"];
            can_delete_own_message_group: number | components["schemas"]["Members"];
            can_move_messages_out_of_channel_group: number | components["schemas"]["Members"];
            can_move_messages_within_channel_group: number | components["schemas"]["Members"];
            can_remove_subscribers_group: number | components["schemas"]["Members"];
            can_resolve_topics_group: number | components["schemas"]["Members"];
            can_send_message_group: number | components["schemas"]["Members"];
            can_subscribe_group: number | components["schemas"]["Members"];
            is_default?: boolean;
            subscribers?: number[];
            partial_subscribers?: number[];
        };
        ChannelReference: {
            stream_id: number;
        };
        ChannelUsage: {
            stream_id: number | null;
            messages: number;
            by_day: number[];
            size: number;
        };
        ClientPresence: {
            client?: string;
            status: "active" | "idle" | "offline";
            timestamp: number;
            pushable?: boolean;
        };
        CommandList: {
            commands: components["schemas"]["CommandObject"][];
        };
        CommandObject: {
            id: number;
            name: string;
            description: string;
            parameters: components["schemas"]["Field"][];
            bot_id: number;
            agent: string | null;
            stream_ids: number[] | null;
            in_direct: boolean;
        };
        CommandUse: {
            command: components["schemas"]["CommandObject"];
            may_use: number | components["schemas"]["Members"];
            is_active: boolean;
            used: number;
            unanswered: number;
        };
        CommandsChangedEvent: {
            type: "commands";
            op: "changed";
            id: number;
        };
        ConsentObject: {
            user_id: number;
            consented: boolean;
            email_address_visibility: number;
        };
        Consents: {
            export_consents: components["schemas"]["ConsentObject"][];
        };
        Conversation: {
            user_ids: number[];
            max_message_id: number;
        };
        CreatedBot: {
            default_sending_stream: string | null;
            default_events_register_stream: string | null;
            default_all_public_streams: boolean;
            user_id: number;
            api_key: string;
            avatar_url: string | null;
        };
        CreatedChannel: {
            id: number;
        };
        CreatedGroup: {
            group_id: number;
        };
        CreatedReminder: {
            reminder_id: number;
        };
        CreatedScheduledMessage: {
            scheduled_message_id: number;
        };
        CustomProfileFieldsEvent: {
            type: "custom_profile_fields";
            fields: components["schemas"]["FieldObject"][];
            id: number;
        };
        DefaultStreamsEvent: {
            type: "default_streams";
            default_streams: number[];
            id: number;
        };
        DeleteMessageEvent: {
            type: "delete_message";
            message_ids?: number[];
            stream_id?: number;
            topic?: string;
            message_type: "private" | "stream";
            message_id?: number;
            id: number;
        };
        DeviceAddEvent: {
            type: "device";
            op: "add";
            device_id: number;
            id: number;
        };
        DeviceEvent: components["schemas"]["DeviceAddEvent"] | components["schemas"]["DeviceRemoveEvent"] | components["schemas"]["DeviceUpdateEvent"];
        DeviceObject: {
            push_key_id: number | null;
            push_token_id: string | null;
            pending_push_token_id: string | null;
            push_token_last_updated_timestamp: number | null;
            push_registration_error_code: string | null;
        };
        DeviceRemoveEvent: {
            type: "device";
            op: "remove";
            device_id: number;
            id: number;
        };
        DeviceUpdateEvent: {
            type: "device";
            op: "update";
            device_id: number;
            push_key_id?: number | null;
            push_token_id?: string | null;
            pending_push_token_id?: string | null;
            push_token_last_updated_timestamp?: number | null;
            push_registration_error_code?: string | null;
            id: number;
        };
        DomainObject: {
            domain: string;
            allow_subdomains: boolean;
        };
        Domains: {
            domains: components["schemas"]["DomainObject"][];
        };
        DraftIds: {
            ids: number[];
        };
        DraftObject: {
            id: number;
            type: string;
            to: number[];
            topic: string;
            content: string;
            timestamp: number;
        };
        Drafts: {
            count: number;
            drafts: components["schemas"]["DraftObject"][];
        };
        DraftsAddEvent: {
            type: "drafts";
            op: "add";
            drafts: components["schemas"]["DraftObject"][];
            id: number;
        };
        DraftsEvent: components["schemas"]["DraftsAddEvent"] | components["schemas"]["DraftsRemoveEvent"] | components["schemas"]["DraftsUpdateEvent"];
        DraftsRemoveEvent: {
            type: "drafts";
            op: "remove";
            draft_id: number;
            id: number;
        };
        DraftsUpdateEvent: {
            type: "drafts";
            op: "update";
            draft: components["schemas"]["DraftObject"];
            id: number;
        };
        EditHistory: {
            message_history: components["schemas"]["Version"][];
        };
        EditObject: {
            timestamp: number;
            user_id: number;
            prev_content?: string;
            prev_rendered_content?: string;
            prev_topic?: string;
            topic?: string;
            prev_stream?: number;
            stream?: number;
        };
        EditRecipient: {
            type: "channel" | "direct";
            user_ids?: number[];
            channel_id?: number;
            topic?: string;
        };
        EditedMessage: {
            detached_uploads: components["schemas"]["AttachmentObject"][];
        };
        EditedSubscriptions: {
            subscribed: {
                [key: string]: string[];
            };
            already_subscribed: {
                [key: string]: string[];
            };
            new_subscription_messages_sent?: boolean;
            unauthorized?: string[];
            removed: string[];
            not_removed: string[];
        };
        EmailAddress: {
            email: string;
        };
        EmojiChange: {
            deactivated: boolean;
        };
        EmojiList: {
            emoji: {
                [key: string]: components["schemas"]["EmojiObject"];
            };
        };
        EmojiObject: {
            id: string;
            name: string;
            source_url: string;
            deactivated: boolean;
            author_id: number;
            still_url: string | null;
        };
        EmojisetChoice: {
            key: string;
            text: string;
        };
        Envelope: {
            result: "success";
            msg: "";
            ignored_parameters_unsupported?: string[];
        };
        Erased: {
            complete: boolean;
        };
        Event: components["schemas"]["AlertWordsEvent"] | components["schemas"]["AnswerEvent"] | components["schemas"]["AttachmentEvent"] | components["schemas"]["CallEvent"] | components["schemas"]["CallSignalEvent"] | components["schemas"]["ChannelFolderEvent"] | components["schemas"]["CommandsChangedEvent"] | components["schemas"]["CustomProfileFieldsEvent"] | components["schemas"]["DefaultStreamsEvent"] | components["schemas"]["DeleteMessageEvent"] | components["schemas"]["DeviceEvent"] | components["schemas"]["DraftsEvent"] | components["schemas"]["HeartbeatEvent"] | components["schemas"]["InteractionEvent"] | components["schemas"]["InteractionUpdateEvent"] | components["schemas"]["InvitesChangedEvent"] | components["schemas"]["LegalHoldsChangedEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["MutedTopicsEvent"] | components["schemas"]["MutedUsersEvent"] | components["schemas"]["NavigationViewEvent"] | components["schemas"]["PresenceEvent"] | components["schemas"]["ReactionEvent"] | components["schemas"]["RealmEvent"] | components["schemas"]["RealmBotEvent"] | components["schemas"]["RealmDomainsEvent"] | components["schemas"]["RealmEmojiEvent"] | components["schemas"]["RealmExportEvent"] | components["schemas"]["RealmLinkifiersEvent"] | components["schemas"]["RealmPlaygroundsEvent"] | components["schemas"]["RealmUserEvent"] | components["schemas"]["RealmUserSettingsDefaultsUpdateEvent"] | components["schemas"]["RemindersEvent"] | components["schemas"]["SavedSnippetsEvent"] | components["schemas"]["ScheduledMessagesEvent"] | components["schemas"]["StreamEvent"] | components["schemas"]["SubmessageEvent"] | components["schemas"]["SubscriptionEvent"] | components["schemas"]["TypingEvent"] | components["schemas"]["TypingEditMessageEvent"] | components["schemas"]["UpdateMessageEvent"] | components["schemas"]["UpdateMessageFlagsEvent"] | components["schemas"]["UserGroupEvent"] | components["schemas"]["UserSettingsUpdateEvent"] | components["schemas"]["UserStatusEvent"] | components["schemas"]["UserTopicEvent"];
        Events: {
            events: components["schemas"]["Event"][];
            queue_id?: string;
            idle_queue_timeout_secs?: number;
        };
        ExportObject: {
            id: number;
            acting_user_id: number;
            export_time: number;
            export_type: string;
            export_url: string | null;
            pending: boolean;
            failed_timestamp: number | null;
            deleted_timestamp: number | null;
            export_from_prior_server: boolean;
            stream_id: number | null;
            is_html: boolean;
        };
        Exports: {
            exports: components["schemas"]["ExportObject"][];
        };
        ExternalAccount: {
            text: string;
            url_pattern: string;
            name: string;
            hint: string;
        };
        ExternalMethod: {
            name: string;
            display_name: string;
            display_icon: string | null;
            login_url: string;
            signup_url: string;
        };
        FetchedInteractions: {
            interactions: components["schemas"]["InteractionObject"][];
        };
        Field: {
            name: string;
            type: "channel" | "choice" | "choices" | "date" | "file" | "long_text" | "number" | "person" | "text" | "topic";
            label: string;
            help: string;
            required: boolean;
            choices: components["schemas"]["FieldChoice"][];
            min: number | null;
            max: number | null;
            max_length: number | null;
        };
        FieldChoice: {
            value: string;
            label: string;
        };
        FieldObject: {
            id: number;
            name: string;
            type: number;
            hint: string;
            field_data: string;
            order: number;
            required: boolean;
            editable_by_user: boolean;
            display_in_profile_summary?: boolean;
            use_for_user_matching?: boolean;
        };
        FieldTypeObject: {
            id: number;
            name: string;
        };
        Fields: {
            custom_fields: components["schemas"]["FieldObject"][];
        };
        FileLink: {
            url: string;
        };
        FlagsUpdated: {
            messages: number[];
            ignored_because_not_subscribed_channels: number[];
        };
        FolderChanges: {
            name?: string;
            description?: string;
            rendered_description?: string;
            is_archived?: boolean;
        };
        FolderObject: {
            id: number;
            name: string;
            description: string;
            rendered_description: string;
            order: number;
            creator_id: number | null;
            date_created: number;
            is_archived: boolean;
        };
        Folders: {
            channel_folders: components["schemas"]["FolderObject"][];
        };
        Form: {
            title: string;
            fields: components["schemas"]["Field"][];
            submit: string;
        };
        FormerSubscription: {
            name: string;
            stream_id: number;
        };
        Forum: {
            topics: components["schemas"]["ForumTopic"][];
            unanswered_count: number;
            found_last: boolean;
        };
        ForumTopic: {
            name: string;
            first_id: number;
            max_id: number;
            reply_count: number;
            last_authors: number[];
        };
        GroupList: {
            user_groups: components["schemas"]["GroupObject"][];
        };
        GroupObject: {
            id: number;
            name: string;
            description: string;
            creator_id: number | null;
            date_created: number | null;
            members: number[];
            direct_subgroup_ids: number[];
            is_system_group: boolean;
            can_add_members_group: number | components["schemas"]["Members"];
            can_join_group: number | components["schemas"]["Members"];
            can_leave_group: number | components["schemas"]["Members"];
            can_manage_group: number | components["schemas"]["Members"];
            can_mention_group: number | components["schemas"]["Members"];
            can_remove_members_group: number | components["schemas"]["Members"];
            deactivated: boolean;
        };
        HealthPart: {
            name: string;
            state: "fail" | "good" | "look" | "off";
            facts: {
                [key: string]: number | string | boolean | null;
            };
        };
        HeartbeatEvent: {
            type: "heartbeat";
            id: number;
        };
        HiddenPerson: {
            user_id: number;
            full_name: string;
        };
        IceServer: {
            urls: string[];
            username?: string;
            credential?: string;
        };
        IconUrl: {
            icon_url: string;
        };
        IncomingWebhookService: {
            name: string;
            display_name: string;
            all_event_types: string[] | null;
            config_options: Record<string, unknown>[];
            url_options: Record<string, unknown>[];
        };
        IntegrationBot: {
            user_id: number;
            bot_owner_id: number | null;
            bot_type: number;
            last_used: number | null;
            payload_url: string | null;
            failures: number;
            last_failure: number | null;
            last_error: string | null;
        };
        IntegrationBots: {
            bots: components["schemas"]["IntegrationBot"][];
        };
        InteractionEvent: {
            type: "interaction";
            interaction: components["schemas"]["InteractionObject"];
            id: number;
        };
        InteractionList: {
            interactions: components["schemas"]["OwnInteraction"][];
        };
        InteractionObject: {
            id: number;
            kind: "button" | "command" | "form";
            bot_id: number;
            user_id: number;
            command: string;
            button: string;
            values: Record<string, unknown>;
            message_id: number | null;
            in_answer_to: number | null;
            date_created: number;
            message_type: "direct" | "hidden" | "stream";
            stream_id?: number;
            topic?: string;
            user_ids?: number[];
        };
        InteractionReply: {
            interaction: components["schemas"]["OwnInteraction"];
        };
        InteractionUpdateEvent: {
            type: "interaction_update";
            interaction: components["schemas"]["OwnInteraction"];
            id: number;
        };
        InvitationLink: {
            invite_link: string;
        };
        InvitationObject: {
            id: number;
            invited_by_user_id: number;
            invited: number;
            expiry_date: number | null;
            invited_as: number;
            notify_referrer_on_join: boolean;
            is_multiuse: boolean;
            email?: string;
            link_url?: string;
        };
        Invitations: {
            invites: components["schemas"]["InvitationObject"][];
        };
        InvitesChangedEvent: {
            type: "invites_changed";
            id: number;
        };
        IsSubscribed: {
            is_subscribed: boolean;
        };
        JoinedCall: {
            call: components["schemas"]["CallObject"];
            session_id: number;
            ice_servers: components["schemas"]["IceServer"][];
            relay_only: boolean;
            max_people: number;
        };
        JwtApiKey: {
            api_key: string;
            email: string;
            user_id: number;
            user?: components["schemas"]["UserObject"];
        };
        Key: {
            api_key: string;
        };
        LegalHoldObject: {
            id: number;
            user_id: number | null;
            stream_id: number | null;
            reason: string;
            created_at: number;
            created_by: number | null;
            ended_at: number | null;
            ended_by: number | null;
        };
        LegalHolds: {
            legal_holds: components["schemas"]["LegalHoldObject"][];
        };
        LegalHoldsChangedEvent: {
            type: "legal_holds_changed";
            id: number;
        };
        LinkifierObject: {
            pattern: string;
            url_template: string;
            id: number;
            example_input: string | null;
            reverse_template: string | null;
            alternative_url_templates: string[];
        };
        Linkifiers: {
            linkifiers: components["schemas"]["LinkifierObject"][];
        };
        LoginMethodObject: {
            enabled: boolean;
            available: boolean;
        };
        ManagedCommands: {
            commands: components["schemas"]["CommandUse"][];
        };
        MatchedText: {
            match_content: string;
            match_subject: string;
        };
        Matches: {
            messages: {
                [key: string]: components["schemas"]["MatchedText"];
            };
        };
        MemberIds: {
            members: number[];
        };
        Members: {
            direct_members: number[];
            direct_subgroups: number[];
        };
        Membership: {
            is_user_group_member: boolean;
        };
        MessageEvent: {
            type: "message";
            message: components["schemas"]["MessageObject"];
            flags: string[];
            local_id?: string;
            local_message_id?: string;
            id: number;
        };
        MessageObject: {
            id: number;
            sender_id: number;
            content: string;
            recipient_id: number;
            timestamp: number;
            client: string;
            subject: string;
            topic_links: {
                [key: string]: string;
            }[];
            is_me_message: boolean;
            reactions: components["schemas"]["ReactionObject"][];
            submessages: components["schemas"]["SubmessageObject"][];
            sender_full_name: string;
            sender_email: string;
            sender_realm_str: string;
            display_recipient: string | components["schemas"]["Participant"][];
            type: string;
            stream_id?: number;
            avatar_url: string | null;
            content_type: string;
            flags?: string[];
            last_edit_timestamp?: number;
            last_moved_timestamp?: number;
            edit_history?: components["schemas"]["EditObject"][];
            match_content?: string;
            match_subject?: string;
        };
        Messages: {
            found_anchor: boolean;
            found_oldest: boolean;
            found_newest: boolean;
            anchor?: number;
            history_limited: boolean;
            messages: components["schemas"]["MessageObject"][];
        };
        MuteObject: {
            id: number;
            timestamp: number;
        };
        MutedTopicsEvent: {
            type: "muted_topics";
            muted_topics: [
                string,
                string,
                number
            ][];
            id: number;
        };
        MutedUsersEvent: {
            type: "muted_users";
            muted_users: components["schemas"]["MuteObject"][];
            id: number;
        };
        Myself: {
            user_id: number;
            email: string;
            delivery_email: string | null;
            full_name: string;
            date_joined: string;
            is_active: boolean;
            is_owner: boolean;
            is_admin: boolean;
            is_guest: boolean;
            is_bot: boolean;
            bot_type: number | null;
            bot_owner_id?: number | null;
            role: number;
            timezone: string;
            avatar_url: string | null;
            avatar_version: number;
            is_imported_stub: boolean;
            profile_data?: {
                [key: string]: components["schemas"]["ProfileValue"];
            };
            max_message_id: number;
        };
        NarrowUpdated: {
            processed_count: number;
            updated_count: number;
            first_processed_id: number | null;
            last_processed_id: number | null;
            found_oldest: boolean;
            found_newest: boolean;
            ignored_because_not_subscribed_channels: number[];
        };
        NavigationViewAddEvent: {
            type: "navigation_view";
            op: "add";
            navigation_view: components["schemas"]["ViewObject"];
            id: number;
        };
        NavigationViewEvent: components["schemas"]["NavigationViewAddEvent"] | components["schemas"]["NavigationViewRemoveEvent"] | components["schemas"]["NavigationViewUpdateEvent"];
        NavigationViewRemoveEvent: {
            type: "navigation_view";
            op: "remove";
            fragment: string;
            id: number;
        };
        NavigationViewUpdateEvent: {
            type: "navigation_view";
            op: "update";
            fragment: string;
            data: components["schemas"]["ViewChanges"];
            id: number;
        };
        NavigationViews: {
            navigation_views: components["schemas"]["ViewObject"][];
        };
        NewDevice: {
            device_id: number;
        };
        NewField: {
            id: number;
        };
        NewFolder: {
            channel_folder_id: number;
        };
        NewId: {
            user_id: number;
        };
        NewKey: {
            api_key: string;
        };
        NewLegalHolds: {
            ids: number[];
        };
        NewSecret: {
            secret: string;
            app_address: string;
        };
        NewSubscription: {
            subscription_id: number;
        };
        NumberedName: {
            name: string;
            id: number;
        };
        OneAuditEntry: {
            entry: components["schemas"]["AuditEntry"];
        };
        OneMessage: {
            message: components["schemas"]["MessageObject"];
            raw_content: string;
        };
        OnePresence: {
            presence: components["schemas"]["UserPresence"];
            server_timestamp: number;
        };
        OneStatus: {
            status: components["schemas"]["StatusObject"];
        };
        OneStream: {
            stream: components["schemas"]["ChannelObject"];
        };
        OneUser: {
            user: components["schemas"]["UserObject"];
        };
        OpenAnswerList: {
            answers: components["schemas"]["OpenAnswerObject"][];
        };
        OpenAnswerObject: {
            answer_token: string;
            sender_id: number;
            asked_by: number | null;
            started: number;
            message_type: "direct" | "stream";
            content: string;
            status_line: string;
            stopped: boolean;
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
        };
        OwnAttachments: {
            attachments: components["schemas"]["AttachmentObject"][];
            upload_space_used: number;
        };
        OwnBot: {
            default_sending_stream: string | null;
            default_events_register_stream: string | null;
            default_all_public_streams: boolean;
            username: string;
            full_name: string;
            api_key: string;
            avatar_url: string | null;
        };
        OwnBots: {
            bots: components["schemas"]["OwnBot"][];
        };
        OwnInteraction: {
            id: number;
            kind: "button" | "command" | "form";
            state: "answered" | "ended" | "fetched" | "taken_back" | "waiting";
            bot_id: number;
            command: string;
            button: string;
            message_id: number | null;
            date_created: number;
            answer_by: number;
            message_type: "direct" | "stream";
            stream_id?: number;
            topic?: string;
            user_ids?: number[];
            rendered_content: string;
            answer_message_id: number | null;
            form: components["schemas"]["Form"] | null;
            errors: {
                [key: string]: string;
            };
        };
        Participant: {
            id: number;
            email: string;
            full_name: string;
            is_mirror_dummy: boolean;
        };
        PasskeyObject: {
            id: number;
            name: string;
            created: number;
            last_used: number | null;
        };
        PasskeyOptions: {
            state: string;
            options: Record<string, unknown>;
        };
        PasswordLink: {
            link: string;
            expires: number;
        };
        PermissionObject: {
            allow_nobody_group: boolean;
            allow_everyone_group: boolean;
            allow_internet_group: boolean;
            require_system_group: boolean;
            default_group_name: string;
            default_for_system_groups: string | null;
            allowed_system_groups: string[];
        };
        PersonChange: {
            user_id: number;
            full_name?: string;
            email?: string;
            new_email?: string;
            delivery_email?: string | null;
            role?: number;
            timezone?: string;
            is_active?: boolean;
            avatar_source?: string;
            avatar_url?: string | null;
            avatar_url_medium?: string | null;
            avatar_version?: number;
            bot_owner_id?: number | null;
            is_imported_stub?: boolean;
            custom_profile_field?: components["schemas"]["ChangedValue"];
        };
        PersonStorage: {
            user_id: number;
            size: number;
        };
        PlaygroundObject: {
            id: number;
            name: string;
            pygments_language: string;
            url_template: string;
        };
        PresenceByClient: {
            aggregated: components["schemas"]["ClientPresence"];
            website: components["schemas"]["ClientPresence"];
        };
        PresenceEvent: {
            type: "presence";
            presences?: {
                [key: string]: components["schemas"]["PresenceObject"];
            };
            user_id?: number;
            email?: string;
            server_timestamp?: number;
            presence?: {
                [key: string]: components["schemas"]["ClientPresence"];
            };
            id: number;
        };
        PresenceObject: {
            active_timestamp: number;
            idle_timestamp: number;
        };
        Presences: {
            presences?: {
                [key: string]: components["schemas"]["PresenceObject"] | components["schemas"]["PresenceByClient"];
            };
            server_timestamp?: number;
            presence_last_update_id?: number;
        };
        ProfileValue: {
            value: string;
            rendered_value?: string;
        };
        PublicKey: {
            public_key: string;
        };
        PushServerObject: {
            kind: "gotify" | "ntfy";
            address: string;
            sends_text: boolean;
        };
        PushServerTest: {
            status: number;
            reason: string;
        };
        PushServers: {
            push_servers: components["schemas"]["PushServerObject"][];
        };
        QuotedSentence: {
            message_id: number;
            sender_id: number;
            sender_full_name: string;
            text: string;
            reason: string;
            reaction_count: number;
            message_link: string;
        };
        ReactionAddEvent: {
            type: "reaction";
            op: "add";
            user_id: number;
            user: components["schemas"]["Participant"];
            message_id: number;
            emoji_name: string;
            emoji_code: string;
            reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "service_extra_emoji";
            id: number;
        };
        ReactionEvent: components["schemas"]["ReactionAddEvent"] | components["schemas"]["ReactionRemoveEvent"];
        ReactionObject: {
            emoji_name: string;
            emoji_code: string;
            reaction_type: string;
            user_id: number;
            user: components["schemas"]["Participant"];
        };
        ReactionRemoveEvent: {
            type: "reaction";
            op: "remove";
            user_id: number;
            user: components["schemas"]["Participant"];
            message_id: number;
            emoji_name: string;
            emoji_code: string;
            reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "service_extra_emoji";
            id: number;
        };
        Readers: {
            user_ids: number[];
        };
        RealmBotAddEvent: {
            type: "realm_bot";
            op: "add";
            bot: components["schemas"]["BotObject"];
            id: number;
        };
        RealmBotDeleteEvent: {
            type: "realm_bot";
            op: "delete";
            bot: components["schemas"]["BotReference"];
            id: number;
        };
        RealmBotEvent: components["schemas"]["RealmBotAddEvent"] | components["schemas"]["RealmBotDeleteEvent"] | components["schemas"]["RealmBotUpdateEvent"];
        RealmBotUpdateEvent: {
            type: "realm_bot";
            op: "update";
            bot: components["schemas"]["ChangedBotObject"];
            id: number;
        };
        RealmDeactivatedEvent: {
            type: "realm";
            op: "deactivated";
            realm_id: number;
            id: number;
        };
        RealmDomainsAddEvent: {
            type: "realm_domains";
            op: "add";
            realm_domain: components["schemas"]["DomainObject"];
            id: number;
        };
        RealmDomainsChangeEvent: {
            type: "realm_domains";
            op: "change";
            realm_domain: components["schemas"]["DomainObject"];
            id: number;
        };
        RealmDomainsEvent: components["schemas"]["RealmDomainsAddEvent"] | components["schemas"]["RealmDomainsChangeEvent"] | components["schemas"]["RealmDomainsRemoveEvent"];
        RealmDomainsRemoveEvent: {
            type: "realm_domains";
            op: "remove";
            domain: string;
            id: number;
        };
        RealmEmojiAddEvent: {
            type: "realm_emoji";
            op: "add";
            emoji: components["schemas"]["EmojiObject"];
            id: number;
        };
        RealmEmojiEvent: components["schemas"]["RealmEmojiAddEvent"] | components["schemas"]["RealmEmojiUpdateEvent"] | components["schemas"]["RealmEmojiUpdateOneEvent"];
        RealmEmojiUpdateEvent: {
            type: "realm_emoji";
            op: "update";
            realm_emoji: {
                [key: string]: components["schemas"]["EmojiObject"];
            };
            id: number;
        };
        RealmEmojiUpdateOneEvent: {
            type: "realm_emoji";
            op: "update_one";
            emoji_id: string;
            data: components["schemas"]["EmojiChange"];
            id: number;
        };
        RealmEvent: components["schemas"]["RealmDeactivatedEvent"] | components["schemas"]["RealmUpdateEvent"] | components["schemas"]["RealmUpdateDictEvent"];
        RealmExportEvent: {
            type: "realm_export";
            exports: components["schemas"]["ExportObject"][];
            id: number;
        };
        RealmLinkifiersEvent: {
            type: "realm_linkifiers";
            realm_linkifiers: components["schemas"]["LinkifierObject"][];
            id: number;
        };
        RealmPlaygroundsEvent: {
            type: "realm_playgrounds";
            realm_playgrounds: components["schemas"]["PlaygroundObject"][];
            id: number;
        };
        RealmSettings: {
            name?: string;
            description?: string;
            default_language?: string;
            org_type?: number;
            want_advertise_in_communities_directory?: boolean;
            allow_message_editing?: boolean;
            message_content_edit_limit_seconds?: number | null;
            message_content_delete_limit_seconds?: number | null;
            message_edit_history_visibility_policy?: "all" | "moves" | "none";
            inline_image_preview?: boolean;
            inline_url_embed_preview?: boolean;
            media_preview_size?: 100 | 150 | 200;
            gif_rating_policy?: 0 | 1 | 2 | 3 | 4;
            default_code_block_language?: string;
            topics_policy?: "allow_empty_topic" | "disable_empty_topic";
            move_messages_within_stream_limit_seconds?: number | null;
            move_messages_between_streams_limit_seconds?: number | null;
            send_channel_events_messages?: boolean;
            enable_read_receipts?: boolean;
            presence_disabled?: boolean;
            enable_topic_summaries?: boolean;
            message_retention_days?: number | null;
            deleted_message_grace_days?: number;
            owner_full_content_access?: boolean;
            video_chat_provider?: 0 | 1 | 4 | 7;
            jitsi_server_url?: string | null;
            max_call_people?: 0 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
            calls_relay_only?: boolean;
            digest_emails_enabled?: boolean;
            digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            message_content_allowed_in_email_notifications?: boolean;
            require_e2ee_push_notifications?: boolean;
            push_servers_allowed?: boolean;
            send_welcome_emails?: boolean;
            welcome_message_custom_text?: string;
            new_stream_announcements_stream_id?: number;
            signup_announcements_stream_id?: number;
            moderation_request_channel_id?: number;
            zulip_update_announcements_stream_id?: number;
            name_changes_disabled?: boolean;
            email_changes_disabled?: boolean;
            avatar_changes_disabled?: boolean;
            require_unique_names?: boolean;
            default_avatar_source?: "J" | "G";
            enable_guest_user_indicator?: boolean;
            enable_guest_user_dm_warning?: boolean;
            enable_agent_access?: boolean;
            enable_spectator_access?: boolean;
            enable_public_pages?: boolean;
            authentication_methods?: {
                [key: string]: components["schemas"]["LoginMethodObject"];
            };
            require_second_factor?: boolean;
            invite_required?: boolean;
            waiting_period_threshold?: number;
            emails_restricted_to_domains?: boolean;
            disallow_disposable_email_addresses?: boolean;
            can_create_public_channel_group?: number | components["schemas"]["Members"];
            can_create_private_channel_group?: number | components["schemas"]["Members"];
            can_create_web_public_channel_group?: number | components["schemas"]["Members"];
            can_add_subscribers_group?: number | components["schemas"]["Members"];
            can_mention_many_users_group?: number | components["schemas"]["Members"];
            can_set_topics_policy_group?: number | components["schemas"]["Members"];
            can_set_delete_message_policy_group?: number | components["schemas"]["Members"];
            can_delete_own_message_group?: number | components["schemas"]["Members"];
            can_delete_any_message_group?: number | components["schemas"]["Members"];
            can_move_messages_between_topics_group?: number | components["schemas"]["Members"];
            can_move_messages_between_channels_group?: number | components["schemas"]["Members"];
            can_resolve_topics_group?: number | components["schemas"]["Members"];
            can_summarize_topics_group?: number | components["schemas"]["Members"];
            can_invite_users_group?: number | components["schemas"]["Members"];
            create_multiuse_invite_group?: number | components["schemas"]["Members"];
            can_access_all_users_group?: number | components["schemas"]["Members"];
            direct_message_initiator_group?: number | components["schemas"]["Members"];
            direct_message_permission_group?: number | components["schemas"]["Members"];
            can_create_groups?: number | components["schemas"]["Members"];
            can_manage_all_groups?: number | components["schemas"]["Members"];
            can_add_custom_emoji_group?: number | components["schemas"]["Members"];
            can_create_bots_group?: number | components["schemas"]["Members"];
            can_create_write_only_bots_group?: number | components["schemas"]["Members"];
            can_manage_billing_group?: number | components["schemas"]["Members"];
            workplace_users_group?: number | components["schemas"]["Members"];
            rendered_description?: string;
            mandatory_topics?: boolean;
            icon_url?: string;
            icon_source?: string;
            logo_url?: string;
            logo_source?: string;
            night_logo_url?: string;
            night_logo_source?: string;
        };
        RealmUpdateDictEvent: {
            type: "realm";
            op: "update_dict";
            property: string;
            data: components["schemas"]["RealmSettings"];
            id: number;
        };
        RealmUpdateEvent: {
            type: "realm";
            op: "update";
            property: string;
            value: string | boolean | number | null;
            id: number;
        };
        RealmUserAddEvent: {
            type: "realm_user";
            op: "add";
            person: components["schemas"]["UserObject"];
            id: number;
        };
        RealmUserEvent: components["schemas"]["RealmUserAddEvent"] | components["schemas"]["RealmUserRemoveEvent"] | components["schemas"]["RealmUserUpdateEvent"];
        RealmUserRemoveEvent: {
            type: "realm_user";
            op: "remove";
            person: components["schemas"]["HiddenPerson"];
            id: number;
        };
        RealmUserSettingsDefaultsUpdateEvent: {
            type: "realm_user_settings_defaults";
            op: "update";
            property: string;
            value: boolean | number | string;
            id: number;
        };
        RealmUserUpdateEvent: {
            type: "realm_user";
            op: "update";
            person: components["schemas"]["PersonChange"];
            id: number;
        };
        Received: {
            ok?: boolean;
        };
        RecoveryCodes: {
            recovery_codes: string[];
        };
        Registered: {
            queue_id: string | null;
            last_event_id: number;
            idle_queue_timeout_secs: number;
            service_feature_level: number;
            service_version: string;
            service_merge_base: string;
            zulip_feature_level: number;
            zulip_version: string;
            zulip_merge_base: string;
            unknown_event_types?: string[];
            alert_words?: string[];
            allow_private_data_export?: boolean;
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            avatar_source?: string;
            avatar_url?: string | null;
            avatar_url_medium?: string;
            can_create_private_streams?: boolean;
            can_create_public_streams?: boolean;
            can_create_streams?: boolean;
            can_create_web_public_streams?: boolean;
            can_invite_others_to_realm?: boolean;
            channel_folders?: components["schemas"]["FolderObject"][];
            color_scheme?: 1 | 2 | 3;
            cross_realm_bots?: components["schemas"]["UserObject"][];
            custom_profile_field_types?: {
                [key: string]: components["schemas"]["FieldTypeObject"];
            };
            custom_profile_fields?: components["schemas"]["FieldObject"][];
            default_language?: string;
            delivery_email?: string;
            demote_inactive_streams?: 1 | 2 | 3;
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            development_environment?: boolean;
            devices?: {
                [key: string]: components["schemas"]["DeviceObject"];
            };
            display_emoji_reaction_users?: boolean;
            drafts?: components["schemas"]["DraftObject"][];
            email?: string;
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            email_notifications_batching_period_seconds?: number;
            emojiset?: "google" | "twitter" | "text";
            enable_calls_in_quiet_hours?: boolean;
            enable_desktop_notifications?: boolean;
            enable_digest_emails?: boolean;
            enable_drafts_synchronization?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_login_emails?: boolean;
            enable_marketing_emails?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            enable_sounds?: boolean;
            enable_stream_audible_notifications?: boolean;
            enable_stream_desktop_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enter_sends?: boolean;
            event_queue_longpoll_timeout_seconds?: number;
            fluid_layout_width?: boolean;
            full_name?: string;
            gif_rating_policy_options?: {
                [key: string]: components["schemas"]["NumberedName"];
            };
            giphy_api_key?: string;
            has_call_relay?: boolean;
            has_webex_token?: boolean;
            has_zoom_token?: boolean;
            hide_ai_features?: boolean;
            high_contrast_mode?: boolean;
            is_admin?: boolean;
            is_guest?: boolean;
            is_moderator?: boolean;
            is_owner?: boolean;
            jitsi_server_url?: string | null;
            klipy_api_key?: string;
            left_side_userlist?: boolean;
            max_avatar_file_size_mib?: number;
            max_bulk_new_subscription_messages?: number;
            max_channel_folder_description_length?: number;
            max_channel_folder_name_length?: number;
            max_file_upload_size_mib?: number;
            max_icon_file_size_mib?: number;
            max_logo_file_size_mib?: number;
            max_message_id?: number;
            max_message_length?: number;
            max_reminder_note_length?: number;
            max_stream_description_length?: number;
            max_stream_name_length?: number;
            max_topic_length?: number;
            message_content_in_email_notifications?: boolean;
            muted_topics?: (string | number)[][];
            muted_users?: components["schemas"]["MuteObject"][];
            navigation_tour_video_url?: string | null;
            navigation_views?: components["schemas"]["ViewObject"][];
            never_subscribed?: components["schemas"]["ChannelObject"][];
            notification_sound?: "ding" | "zulip" | "none";
            onboarding_steps?: Record<string, unknown>[];
            password_max_length?: number;
            password_min_guesses?: number;
            password_min_length?: number;
            pm_content_in_desktop_notifications?: boolean;
            presence_enabled?: boolean;
            presence_last_update_id?: number;
            presences?: {
                [key: string]: components["schemas"]["PresenceObject"] | components["schemas"]["PresenceByClient"];
            };
            quiet_hours?: string;
            realm_allow_edit_history?: boolean;
            realm_allow_message_editing?: boolean;
            realm_authentication_methods?: {
                [key: string]: components["schemas"]["LoginMethodObject"];
            };
            realm_available_video_chat_providers?: {
                [key: string]: components["schemas"]["NumberedName"];
            };
            realm_avatar_changes_disabled?: boolean;
            realm_billing?: components["schemas"]["Billing"];
            realm_bot_domain?: string;
            realm_bots?: components["schemas"]["BotObject"][];
            realm_calls_relay_only?: boolean;
            realm_can_access_all_users_group?: number | components["schemas"]["Members"];
            realm_can_add_custom_emoji_group?: number | components["schemas"]["Members"];
            realm_can_add_subscribers_group?: number | components["schemas"]["Members"];
            realm_can_create_bots_group?: number | components["schemas"]["Members"];
            realm_can_create_groups?: number | components["schemas"]["Members"];
            realm_can_create_private_channel_group?: number | components["schemas"]["Members"];
            realm_can_create_public_channel_group?: number | components["schemas"]["Members"];
            realm_can_create_web_public_channel_group?: number | components["schemas"]["Members"];
            realm_can_create_write_only_bots_group?: number | components["schemas"]["Members"];
            realm_can_delete_any_message_group?: number | components["schemas"]["Members"];
            realm_can_delete_own_message_group?: number | components["schemas"]["Members"];
            realm_can_invite_users_group?: number | components["schemas"]["Members"];
            realm_can_manage_all_groups?: number | components["schemas"]["Members"];
            realm_can_manage_billing_group?: number | components["schemas"]["Members"];
            realm_can_mention_many_users_group?: number | components["schemas"]["Members"];
            realm_can_move_messages_between_channels_group?: number | components["schemas"]["Members"];
            realm_can_move_messages_between_topics_group?: number | components["schemas"]["Members"];
            realm_can_resolve_topics_group?: number | components["schemas"]["Members"];
            realm_can_set_delete_message_policy_group?: number | components["schemas"]["Members"];
            realm_can_set_topics_policy_group?: number | components["schemas"]["Members"];
            realm_can_summarize_topics_group?: number | components["schemas"]["Members"];
            realm_create_multiuse_invite_group?: number | components["schemas"]["Members"];
            realm_create_private_stream_policy?: number;
            realm_create_public_stream_policy?: number;
            realm_create_web_public_stream_policy?: number;
            realm_date_created?: number;
            realm_default_avatar_source?: "J" | "G";
            realm_default_code_block_language?: string;
            realm_default_external_accounts?: {
                [key: string]: components["schemas"]["ExternalAccount"];
            };
            realm_default_language?: string;
            realm_default_stream_groups?: Record<string, unknown>[];
            realm_default_streams?: number[];
            realm_deleted_message_grace_days?: number;
            realm_description?: string;
            realm_digest_emails_enabled?: boolean;
            realm_digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            realm_direct_message_initiator_group?: number | components["schemas"]["Members"];
            realm_direct_message_permission_group?: number | components["schemas"]["Members"];
            realm_disallow_disposable_email_addresses?: boolean;
            realm_domains?: components["schemas"]["DomainObject"][];
            realm_email_auth_enabled?: boolean;
            realm_email_changes_disabled?: boolean;
            realm_emails_restricted_to_domains?: boolean;
            realm_embedded_bots?: Record<string, unknown>[];
            realm_emoji?: {
                [key: string]: components["schemas"]["EmojiObject"];
            };
            realm_empty_topic_display_name?: string;
            realm_enable_agent_access?: boolean;
            realm_enable_guest_user_dm_warning?: boolean;
            realm_enable_guest_user_indicator?: boolean;
            realm_enable_public_pages?: boolean;
            realm_enable_read_receipts?: boolean;
            realm_enable_spectator_access?: boolean;
            realm_enable_topic_summaries?: boolean;
            realm_filters?: (string | number)[][];
            realm_gif_rating_policy?: 0 | 1 | 2 | 3 | 4;
            realm_icon_source?: string;
            realm_icon_url?: string;
            realm_incoming_webhook_bots?: components["schemas"]["IncomingWebhookService"][];
            realm_inline_image_preview?: boolean;
            realm_inline_url_embed_preview?: boolean;
            realm_invite_required?: boolean;
            realm_jitsi_server_url?: string | null;
            realm_linkifiers?: components["schemas"]["LinkifierObject"][];
            realm_logo_source?: string;
            realm_logo_url?: string;
            realm_mandatory_topics?: boolean;
            realm_max_call_people?: 0 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
            realm_media_preview_size?: 100 | 150 | 200;
            realm_message_content_allowed_in_email_notifications?: boolean;
            realm_message_content_delete_limit_seconds?: number | null;
            realm_message_content_edit_limit_seconds?: number | null;
            realm_message_edit_history_visibility_policy?: "all" | "moves" | "none";
            realm_message_retention_days?: number | null;
            realm_moderation_request_channel_id?: number;
            realm_move_messages_between_streams_limit_seconds?: number | null;
            realm_move_messages_within_stream_limit_seconds?: number | null;
            realm_name?: string;
            realm_name_changes_disabled?: boolean;
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            realm_new_stream_announcements_stream_id?: number;
            realm_night_logo_source?: string;
            realm_night_logo_url?: string;
            realm_non_active_users?: components["schemas"]["UserObject"][];
            realm_org_type?: number;
            realm_owner_full_content_access?: boolean;
            realm_password_auth_enabled?: boolean;
            realm_plan_type?: number;
            realm_playgrounds?: components["schemas"]["PlaygroundObject"][];
            realm_presence_disabled?: boolean;
            realm_push_notifications_enabled?: boolean;
            realm_push_notifications_enabled_end_timestamp?: number | null;
            realm_push_servers_allowed?: boolean;
            realm_require_e2ee_push_notifications?: boolean;
            realm_require_second_factor?: boolean;
            realm_require_unique_names?: boolean;
            realm_send_channel_events_messages?: boolean;
            realm_send_welcome_emails?: boolean;
            realm_signup_announcements_stream_id?: number;
            realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic";
            realm_upload_quota_mib?: number | null;
            realm_uri?: string;
            realm_url?: string;
            realm_user_groups?: components["schemas"]["GroupObject"][];
            realm_user_settings_defaults?: components["schemas"]["UserSettings"];
            realm_users?: components["schemas"]["UserObject"][];
            realm_uuid?: string;
            realm_video_chat_provider?: 0 | 1 | 4 | 7;
            realm_waiting_period_threshold?: number;
            realm_want_advertise_in_communities_directory?: boolean;
            realm_welcome_message_custom_text?: string;
            realm_wildcard_mention_policy?: number;
            realm_workplace_users_group?: number | components["schemas"]["Members"];
            realm_zulip_update_announcements_stream_id?: number;
            receives_typing_notifications?: boolean;
            recent_private_conversations?: components["schemas"]["Conversation"][];
            reminders?: components["schemas"]["ReminderObject"][];
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            running_calls?: components["schemas"]["CallObject"][];
            saved_snippets?: components["schemas"]["SnippetObject"][];
            scheduled_messages?: components["schemas"]["ScheduledMessageObject"][];
            send_private_typing_notifications?: boolean;
            send_read_receipts?: boolean;
            send_stream_typing_notifications?: boolean;
            server_avatar_changes_disabled?: boolean;
            server_can_summarize_topics?: boolean;
            server_emoji_data_url?: string;
            server_generation?: number;
            server_inline_image_preview?: boolean;
            server_inline_url_embed_preview?: boolean;
            server_jitsi_server_url?: string | null;
            server_max_deactivated_realm_deletion_days?: number | null;
            server_min_deactivated_realm_deletion_days?: number | null;
            server_name_changes_disabled?: boolean;
            server_needs_upgrade?: boolean;
            server_presence_offline_threshold_seconds?: number;
            server_presence_ping_interval_seconds?: number;
            server_report_message_types?: components["schemas"]["ReportReason"][];
            server_supported_permission_settings?: components["schemas"]["SupportedPermissions"];
            server_thumbnail_formats?: components["schemas"]["ThumbnailFormat"][];
            server_timestamp?: number;
            server_typing_started_expiry_period_milliseconds?: number;
            server_typing_started_wait_period_milliseconds?: number;
            server_typing_stopped_wait_period_milliseconds?: number;
            server_web_public_streams_enabled?: boolean;
            settings_send_digest_emails?: boolean;
            starred_message_counts?: boolean;
            starred_messages?: number[];
            stop_words?: string[];
            streams?: components["schemas"]["ChannelObject"][];
            subscriptions?: components["schemas"]["SubscriptionObject"][];
            tenor_api_key?: string;
            translate_emoticons?: boolean;
            twenty_four_hour_time?: boolean;
            unread_msgs?: components["schemas"]["UnreadMessages"];
            unsubscribed?: components["schemas"]["SubscriptionObject"][];
            upgrade_text_for_wide_organization_logo?: string;
            user_id?: number;
            user_list_style?: 1 | 2 | 3;
            user_settings?: components["schemas"]["UserSettings"];
            user_status?: {
                [key: string]: components["schemas"]["StatusObject"];
            };
            user_topics?: components["schemas"]["UserTopicObject"][];
            web_animate_image_previews?: "always" | "on_hover" | "never";
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_escape_navigates_to_home_view?: boolean;
            web_font_size_px?: number;
            web_home_view?: "inbox" | "recent" | "all_messages";
            web_inbox_show_channel_folders?: boolean;
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
            web_line_height_percent?: number;
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            web_navigate_to_sent_message?: boolean;
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            web_suggest_update_timezone?: boolean;
            wildcard_mentions_notify?: boolean;
            zulip_plan_is_not_limited?: boolean;
        };
        RegisteredCommand: {
            command_id: number;
        };
        ReminderObject: {
            reminder_id: number;
            to: number[];
            type: string;
            content: string;
            rendered_content: string;
            scheduled_delivery_timestamp: number;
            failed: boolean;
            reminder_target_message_id: number;
        };
        Reminders: {
            reminders: components["schemas"]["ReminderObject"][];
        };
        RemindersAddEvent: {
            type: "reminders";
            op: "add";
            reminders: components["schemas"]["ReminderObject"][];
            id: number;
        };
        RemindersEvent: components["schemas"]["RemindersAddEvent"] | components["schemas"]["RemindersRemoveEvent"];
        RemindersRemoveEvent: {
            type: "reminders";
            op: "remove";
            reminder_id: number;
            id: number;
        };
        RenderedText: {
            rendered: string;
        };
        Reply: Record<string, unknown>;
        ReportReason: {
            key: string;
            name: string;
        };
        RetentionPreview: {
            message_count: number;
            oldest_timestamp: number | null;
            newest_timestamp: number | null;
            sent_before: number | null;
        };
        SavedSnippetsAddEvent: {
            type: "saved_snippets";
            op: "add";
            saved_snippet: components["schemas"]["SnippetObject"];
            id: number;
        };
        SavedSnippetsEvent: components["schemas"]["SavedSnippetsAddEvent"] | components["schemas"]["SavedSnippetsUpdateEvent"] | components["schemas"]["SavedSnippetsRemoveEvent"];
        SavedSnippetsRemoveEvent: {
            type: "saved_snippets";
            op: "remove";
            saved_snippet_id: number;
            id: number;
        };
        SavedSnippetsUpdateEvent: {
            type: "saved_snippets";
            op: "update";
            saved_snippet: components["schemas"]["SnippetObject"];
            id: number;
        };
        ScheduledMessageObject: {
            scheduled_message_id: number;
            to: number | number[];
            type: string;
            content: string;
            rendered_content: string;
            topic?: string;
            scheduled_delivery_timestamp: number;
            failed: boolean;
        };
        ScheduledMessages: {
            scheduled_messages: components["schemas"]["ScheduledMessageObject"][];
        };
        ScheduledMessagesAddEvent: {
            type: "scheduled_messages";
            op: "add";
            scheduled_messages: components["schemas"]["ScheduledMessageObject"][];
            id: number;
        };
        ScheduledMessagesEvent: components["schemas"]["ScheduledMessagesAddEvent"] | components["schemas"]["ScheduledMessagesRemoveEvent"] | components["schemas"]["ScheduledMessagesUpdateEvent"];
        ScheduledMessagesRemoveEvent: {
            type: "scheduled_messages";
            op: "remove";
            scheduled_message_id: number;
            id: number;
        };
        ScheduledMessagesUpdateEvent: {
            type: "scheduled_messages";
            op: "update";
            scheduled_message: components["schemas"]["ScheduledMessageObject"];
            id: number;
        };
        SecondFactor: {
            is_on: boolean;
            is_required: boolean;
            has_app: boolean;
            recovery_codes_left: number;
            passkeys: components["schemas"]["PasskeyObject"][];
        };
        SentMessage: {
            id: number;
            message_url: string;
            message_link: string;
            automatic_new_visibility_policy?: number;
        };
        ServerHealth: {
            parts: components["schemas"]["HealthPart"][];
            operator_page: string | null;
        };
        ServerSettings: {
            authentication_methods: {
                [key: string]: boolean;
            };
            external_authentication_methods: components["schemas"]["ExternalMethod"][];
            service_feature_level: number;
            service_version: string;
            service_merge_base: string;
            zulip_feature_level: number;
            zulip_version: string;
            zulip_merge_base: string;
            push_notifications_enabled: boolean;
            is_incompatible: boolean;
            email_auth_enabled: boolean;
            require_email_format_usernames: boolean;
            realm_url?: string;
            realm_uri?: string;
            realm_name?: string;
            realm_icon?: string;
            realm_description?: string;
            realm_web_public_access_enabled?: boolean;
        };
        ServiceObject: {
            base_url: string;
            interface: number;
            token: string;
        };
        SessionObject: {
            id: number;
            agent: string;
            address: string;
            created: number;
            last_seen: number;
            is_current: boolean;
        };
        Sessions: {
            sessions: components["schemas"]["SessionObject"][];
        };
        SettingList: {
            settings: components["schemas"]["SettingObject"][];
            user_settings_defaults: components["schemas"]["SettingObject"][];
        };
        SettingObject: {
            name: string;
            section: string | null;
            heading: string | null;
            kind: string;
            value: unknown;
            default: unknown;
            meaning: string;
            owners_only: boolean;
            can_change: boolean;
            choices: (number | string)[];
            minimum: number | null;
            maximum: number | null;
            unit: string | null;
            fixed_by: string | null;
            missing: {
                [key: string]: string;
            };
        };
        SettingsChanged: {
            api_key?: string;
        };
        SnippetId: {
            saved_snippet_id: number;
        };
        SnippetObject: {
            id: number;
            title: string;
            content: string;
            date_created: number;
        };
        Snippets: {
            saved_snippets: components["schemas"]["SnippetObject"][];
        };
        StartedAnswer: {
            answer_token: string;
            expires: number;
        };
        StartedExport: {
            id: number;
        };
        StatusObject: {
            away?: boolean;
            status_text?: string;
            emoji_name?: string;
            emoji_code?: string;
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "service_extra_emoji";
            ends_at?: number;
        };
        Storage: {
            storage: {
                [key: string]: string;
            };
        };
        StreamCreateEvent: {
            type: "stream";
            op: "create";
            streams: components["schemas"]["ChannelObject"][];
            id: number;
        };
        StreamDeleteEvent: {
            type: "stream";
            op: "delete";
            streams: components["schemas"]["ChannelReference"][];
            stream_ids: number[];
            id: number;
        };
        StreamEvent: components["schemas"]["StreamCreateEvent"] | components["schemas"]["StreamDeleteEvent"] | components["schemas"]["StreamUpdateEvent"];
        StreamId: {
            stream_id: number;
        };
        StreamUpdateEvent: {
            type: "stream";
            op: "update";
            stream_id: number;
            name: string;
            property: string;
            value: string | boolean | number | components["schemas"]["Members"] | null;
            rendered_description?: string;
            history_public_to_subscribers?: boolean;
            is_web_public?: boolean;
            id: number;
        };
        Streams: {
            streams: components["schemas"]["ChannelObject"][];
        };
        SubgroupIds: {
            subgroups: number[];
        };
        SubmessageEvent: {
            type: "submessage";
            msg_type: string;
            message_id: number;
            submessage_id: number;
            sender_id: number;
            content: string;
            id: number;
        };
        SubmessageObject: {
            id: number;
            message_id: number;
            sender_id: number;
            msg_type: string;
            content: string;
        };
        Subscribed: {
            subscribed: {
                [key: string]: string[];
            };
            already_subscribed: {
                [key: string]: string[];
            };
            new_subscription_messages_sent?: boolean;
            unauthorized?: string[];
        };
        SubscribedChannels: {
            subscribed_channel_ids: number[];
        };
        SubscriberIds: {
            subscribers: number[];
        };
        SubscriptionAddEvent: {
            type: "subscription";
            op: "add";
            subscriptions: components["schemas"]["SubscriptionObject"][];
            id: number;
        };
        SubscriptionEvent: components["schemas"]["SubscriptionAddEvent"] | components["schemas"]["SubscriptionPeerAddEvent"] | components["schemas"]["SubscriptionPeerRemoveEvent"] | components["schemas"]["SubscriptionRemoveEvent"] | components["schemas"]["SubscriptionUpdateEvent"];
        SubscriptionObject: {
            stream_id: number;
            name: string;
            description: string;
            rendered_description: string;
            date_created: number;
            creator_id: number | null;
            invite_only: boolean;
            is_web_public: boolean;
            history_public_to_subscribers: boolean;
            is_archived: boolean;
            folder_id: number | null;
            first_message_id: number | null;
            is_recently_active: boolean;
            message_retention_days: number | null;
            topics_policy: string;
            stream_post_policy: number;
            is_announcement_only: boolean;
            stream_weekly_traffic: number | null;
            subscriber_count: number;
            default_push_notifications: boolean;
            topic_summaries_allowed: boolean;
            slow_mode_seconds: number;
            slow_mode_until: number | null;
            can_add_subscribers_group: number | components["schemas"]["Members"];
            can_administer_channel_group: number | components["schemas"]["Members"];
            can_create_topic_group: number | components["schemas"]["Members"];
            can_delete_any_message_group: number | components["schemas"]["Members"];
            can_delete_own_message_group: number | components["schemas"]["Members"];
            can_move_messages_out_of_channel_group: number | components["schemas"]["Members"];
            can_move_messages_within_channel_group: number | components["schemas"]["Members"];
            can_remove_subscribers_group: number | components["schemas"]["Members"];
            can_resolve_topics_group: number | components["schemas"]["Members"];
            can_send_message_group: number | components["schemas"]["Members"];
            can_subscribe_group: number | components["schemas"]["Members"];
            is_default?: boolean;
            subscribers?: number[];
            partial_subscribers?: number[];
            color: string;
            is_muted: boolean;
            in_home_view: boolean;
            pin_to_top: boolean;
            desktop_notifications: boolean | null;
            audible_notifications: boolean | null;
            push_notifications: boolean | null;
            email_notifications: boolean | null;
            wildcard_mentions_notify: boolean | null;
        };
        SubscriptionPeerAddEvent: {
            type: "subscription";
            op: "peer_add";
            stream_ids: number[];
            user_ids: number[];
            id: number;
        };
        SubscriptionPeerRemoveEvent: {
            type: "subscription";
            op: "peer_remove";
            stream_ids: number[];
            user_ids: number[];
            id: number;
        };
        SubscriptionRemoveEvent: {
            type: "subscription";
            op: "remove";
            subscriptions: components["schemas"]["FormerSubscription"][];
            id: number;
        };
        SubscriptionUpdateEvent: {
            type: "subscription";
            op: "update";
            stream_id: number;
            property: string;
            value: boolean | string | null;
            id: number;
        };
        Subscriptions: {
            subscriptions: components["schemas"]["SubscriptionObject"][];
        };
        SummaryRules: {
            available: boolean;
            allowed_in_channel: boolean;
            model_host: string | null;
            model: string | null;
            max_messages: number;
        };
        SupportedPermissions: {
            realm: {
                [key: string]: components["schemas"]["PermissionObject"];
            };
            stream: {
                [key: string]: components["schemas"]["PermissionObject"];
            };
            group: {
                [key: string]: components["schemas"]["PermissionObject"];
            };
        };
        TemplatePreview: {
            topic: string | null;
            content: string | null;
            rendered: string | null;
        };
        TemporaryLink: {
            url: string;
        };
        TestMessage: {
            message_id: number;
        };
        TestResult: {
            status: number;
        };
        ThumbnailFormat: {
            name: string;
            max_width: number;
            max_height: number;
            format: string;
            animated: boolean;
        };
        ThumbnailStatus: {
            has_thumbnail: boolean;
        };
        TopicDeleted: {
            complete: boolean;
        };
        TopicDeletionPreview: {
            message_count: number;
            oldest_timestamp: number | null;
            newest_timestamp: number | null;
        };
        TopicObject: {
            name: string;
            max_id: number;
        };
        TopicSummary: {
            summary: string;
            message_count: number;
            older_left_out: boolean;
            model_host: string;
        };
        Topics: {
            topics: components["schemas"]["TopicObject"][];
        };
        TypingEditMessageEvent: components["schemas"]["TypingEditMessageStartEvent"] | components["schemas"]["TypingEditMessageStopEvent"];
        TypingEditMessageStartEvent: {
            type: "typing_edit_message";
            op: "start";
            sender_id: number;
            message_id: number;
            recipient: components["schemas"]["EditRecipient"];
            id: number;
        };
        TypingEditMessageStopEvent: {
            type: "typing_edit_message";
            op: "stop";
            sender_id: number;
            message_id: number;
            recipient: components["schemas"]["EditRecipient"];
            id: number;
        };
        TypingEvent: components["schemas"]["TypingStartEvent"] | components["schemas"]["TypingStopEvent"];
        TypingStartEvent: {
            type: "typing";
            message_type: "direct" | "stream";
            op: "start";
            sender: components["schemas"]["TypingUser"];
            recipients?: components["schemas"]["TypingUser"][];
            stream_id?: number;
            topic?: string;
            id: number;
        };
        TypingStopEvent: {
            type: "typing";
            message_type: "direct" | "stream";
            op: "stop";
            sender: components["schemas"]["TypingUser"];
            recipients?: components["schemas"]["TypingUser"][];
            stream_id?: number;
            topic?: string;
            id: number;
        };
        TypingUser: {
            user_id: number;
            email: string;
        };
        UnreadGroup: {
            user_ids_string: string;
            unread_message_ids: number[];
        };
        UnreadMessages: {
            count: number;
            pms: components["schemas"]["UnreadPerson"][];
            huddles: components["schemas"]["UnreadGroup"][];
            streams: components["schemas"]["UnreadTopic"][];
            mentions: number[];
            old_unreads_missing: boolean;
        };
        UnreadObject: {
            type: "private" | "stream";
            user_ids?: number[];
            stream_id?: number;
            topic?: string;
            unmuted_stream_msg?: boolean;
            mentioned?: boolean;
        };
        UnreadPerson: {
            other_user_id: number;
            sender_id: number;
            unread_message_ids: number[];
        };
        UnreadTopic: {
            stream_id: number;
            topic: string;
            unread_message_ids: number[];
        };
        Unsubscribed: {
            removed: string[];
            not_removed: string[];
        };
        UpdateMessageEvent: {
            type: "update_message";
            user_id: number | null;
            edit_timestamp: number;
            message_id: number;
            rendering_only: boolean;
            orig_content?: string;
            orig_rendered_content?: string;
            content?: string;
            rendered_content?: string;
            is_me_message?: boolean;
            stream_name?: string;
            stream_id?: number;
            propagate_mode?: "change_all" | "change_later" | "change_one";
            orig_subject?: string;
            new_stream_id?: number;
            subject?: string;
            topic_links?: {
                [key: string]: string;
            }[];
            message_ids: number[];
            flags: string[];
            id: number;
        };
        UpdateMessageFlagsAddEvent: {
            type: "update_message_flags";
            op: "add";
            operation: "add" | "remove";
            flag: string;
            messages: number[];
            all: boolean;
            message_details?: {
                [key: string]: components["schemas"]["UnreadObject"];
            };
            id: number;
        };
        UpdateMessageFlagsEvent: components["schemas"]["UpdateMessageFlagsAddEvent"] | components["schemas"]["UpdateMessageFlagsRemoveEvent"];
        UpdateMessageFlagsRemoveEvent: {
            type: "update_message_flags";
            op: "remove";
            operation: "add" | "remove";
            flag: string;
            messages: number[];
            all: boolean;
            message_details?: {
                [key: string]: components["schemas"]["UnreadObject"];
            };
            id: number;
        };
        Uploaded: {
            uri: string;
            url: string;
            filename: string;
        };
        UsageDay: {
            starts_at: number;
            messages: number;
            writers: number;
        };
        UsageReport: {
            as_of: number;
            days: components["schemas"]["UsageDay"][];
            weeks: components["schemas"]["UsageWeek"][];
            channels: components["schemas"]["ChannelUsage"][];
            other_channels: number;
            storage_by_person: components["schemas"]["PersonStorage"][];
            storage_size: number;
            people: number;
            seen_last_day: number;
            seen_last_week: number;
        };
        UsageWeek: {
            starts_at: number;
            writers: number;
        };
        UserGroupAddEvent: {
            type: "user_group";
            op: "add";
            group: components["schemas"]["GroupObject"];
            id: number;
        };
        UserGroupAddMembersEvent: {
            type: "user_group";
            op: "add_members";
            group_id: number;
            user_ids: number[];
            id: number;
        };
        UserGroupAddSubgroupsEvent: {
            type: "user_group";
            op: "add_subgroups";
            group_id: number;
            direct_subgroup_ids: number[];
            id: number;
        };
        UserGroupEvent: components["schemas"]["UserGroupAddEvent"] | components["schemas"]["UserGroupAddMembersEvent"] | components["schemas"]["UserGroupRemoveMembersEvent"] | components["schemas"]["UserGroupAddSubgroupsEvent"] | components["schemas"]["UserGroupRemoveSubgroupsEvent"] | components["schemas"]["UserGroupRemoveEvent"] | components["schemas"]["UserGroupUpdateEvent"];
        UserGroupRemoveEvent: {
            type: "user_group";
            op: "remove";
            group_id: number;
            id: number;
        };
        UserGroupRemoveMembersEvent: {
            type: "user_group";
            op: "remove_members";
            group_id: number;
            user_ids: number[];
            id: number;
        };
        UserGroupRemoveSubgroupsEvent: {
            type: "user_group";
            op: "remove_subgroups";
            group_id: number;
            direct_subgroup_ids: number[];
            id: number;
        };
        UserGroupUpdateEvent: {
            type: "user_group";
            op: "update";
            group_id: number;
            data: components["schemas"]["ChangedGroupObject"];
            id: number;
        };
        UserList: {
            members: components["schemas"]["UserObject"][];
        };
        UserObject: {
            user_id: number;
            email: string;
            delivery_email: string | null;
            full_name: string;
            date_joined: string;
            is_active?: boolean;
            is_owner: boolean;
            is_admin: boolean;
            is_guest: boolean;
            is_bot: boolean;
            bot_type: number | null;
            bot_owner_id?: number | null;
            is_system_bot?: boolean;
            role: number;
            timezone?: string;
            avatar_url: string | null;
            avatar_version: number;
            is_imported_stub: boolean;
            is_deleted?: boolean;
            profile_data?: {
                [key: string]: components["schemas"]["ProfileValue"];
            };
        };
        UserPresence: {
            active_timestamp: number;
            idle_timestamp: number;
            aggregated: components["schemas"]["ClientPresence"];
            website: components["schemas"]["ClientPresence"];
        };
        UserSettings: {
            color_scheme?: 1 | 2 | 3;
            default_language?: string;
            twenty_four_hour_time?: boolean;
            web_font_size_px?: number;
            starred_message_counts?: boolean;
            web_home_view?: "inbox" | "recent" | "all_messages";
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_escape_navigates_to_home_view?: boolean;
            enter_sends?: boolean;
            translate_emoticons?: boolean;
            enable_drafts_synchronization?: boolean;
            receives_typing_notifications?: boolean;
            enable_desktop_notifications?: boolean;
            enable_sounds?: boolean;
            pm_content_in_desktop_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_stream_desktop_notifications?: boolean;
            wildcard_mentions_notify?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            message_content_in_email_notifications?: boolean;
            enable_login_emails?: boolean;
            email_notifications_batching_period_seconds?: number;
            quiet_hours?: string;
            enable_calls_in_quiet_hours?: boolean;
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            send_read_receipts?: boolean;
            presence_enabled?: boolean;
            send_private_typing_notifications?: boolean;
            send_stream_typing_notifications?: boolean;
            allow_private_data_export?: boolean;
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            enable_digest_emails?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_marketing_emails?: boolean;
            enable_stream_audible_notifications?: boolean;
            notification_sound?: "ding" | "zulip" | "none";
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            demote_inactive_streams?: 1 | 2 | 3;
            display_emoji_reaction_users?: boolean;
            emojiset?: "google" | "twitter" | "text";
            fluid_layout_width?: boolean;
            hide_ai_features?: boolean;
            high_contrast_mode?: boolean;
            left_side_userlist?: boolean;
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            user_list_style?: 1 | 2 | 3;
            web_animate_image_previews?: "always" | "on_hover" | "never";
            web_inbox_show_channel_folders?: boolean;
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
            web_line_height_percent?: number;
            web_navigate_to_sent_message?: boolean;
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            web_suggest_update_timezone?: boolean;
            timezone?: string;
            emojiset_choices?: components["schemas"]["EmojisetChoice"][];
            available_notification_sounds?: string[];
        };
        UserSettingsUpdateEvent: {
            type: "user_settings";
            op: "update";
            property: string;
            value: boolean | number | string;
            language_name?: string;
            id: number;
        };
        UserStatusEvent: {
            type: "user_status";
            user_id: number;
            status_text?: string;
            emoji_name?: string;
            emoji_code?: string;
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "service_extra_emoji";
            away?: boolean;
            ends_at?: number | null;
            id: number;
        };
        UserTopicEvent: {
            type: "user_topic";
            stream_id: number;
            topic_name: string;
            last_updated: number;
            visibility_policy: number;
            id: number;
        };
        UserTopicObject: {
            stream_id: number;
            topic_name: string;
            last_updated: number;
            visibility_policy: number;
        };
        Version: {
            content: string;
            rendered_content: string;
            timestamp: number;
            topic: string;
            user_id: number;
            prev_content?: string;
            prev_rendered_content?: string;
            content_html_diff?: string;
            prev_topic?: string;
            prev_stream?: number;
            stream?: number;
        };
        ViewChanges: {
            name?: string | null;
            is_pinned?: boolean;
        };
        ViewObject: {
            fragment: string;
            is_pinned: boolean;
            name: string | null;
        };
        WrittenAnswer: {
            stopped: boolean;
        };
    };
}
