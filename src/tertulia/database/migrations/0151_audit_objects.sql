-- What an entry of the audit log is about, so that the log can be filtered: its area, and the user,
-- channel, group or message (`user/17`). `area_of` and `object_of` in domain/organization/audit.py
-- fill them; a test compares both with what is filled in here.

ALTER TABLE audit_entry ADD COLUMN area TEXT NOT NULL DEFAULT 'other';
ALTER TABLE audit_entry ADD COLUMN object TEXT;

UPDATE audit_entry SET area = CASE
    WHEN act = 'login' OR act LIKE '% /users/me/second_factor%' OR act LIKE '% /users/me/sessions%'
        OR act LIKE '% /users/me/api_key%' OR act LIKE '% /settings%' THEN 'login'
    WHEN act LIKE '% /messages%' OR act LIKE '% /streams/%/delete_topic' THEN 'messages'
    WHEN act LIKE '% /streams%' OR act LIKE '% /channels%' OR act LIKE '% /channel_folders%'
        OR act LIKE '% /default_streams%' OR act LIKE '% /users/me/subscriptions' THEN 'channels'
    WHEN act LIKE '% /user_groups%' THEN 'groups'
    WHEN act LIKE '% /bots%' THEN 'bots'
    WHEN act LIKE '% /users%' OR act LIKE '% /invites%' OR act LIKE 'user %' OR act LIKE 'provider %'
        THEN 'people'
    WHEN act LIKE '% /export/%' OR act LIKE 'export%' OR act LIKE 'import%' OR act LIKE 'backup%'
        OR act LIKE 'restore%' THEN 'exports'
    WHEN act LIKE '% /realm/emoji%' OR act LIKE '% /realm/linkifiers%' OR act LIKE '% /realm/filters%'
        OR act LIKE '% /realm/playgrounds%' OR act LIKE '% /realm/profile_fields%'
        OR act LIKE '% /realm/icon%' OR act LIKE '% /realm/logo%' THEN 'content'
    WHEN act LIKE '% /realm%' OR act LIKE 'org %' THEN 'settings'
    ELSE 'other' END;

-- The method is stripped with `ltrim`; what `ltrim` would strip of the rest is the number.
UPDATE audit_entry SET object = CASE
    WHEN act LIKE '% /users/me%' OR act LIKE '% /settings%' THEN 'user/' || actor_id
    WHEN act LIKE '% /users/%' THEN 'user/' || substr(ltrim(act, 'ACDEGHILOPSTU'), 9)
    WHEN act LIKE '% /bots/%' THEN 'user/' || substr(ltrim(act, 'ACDEGHILOPSTU'), 8)
    WHEN act LIKE '% /streams/%' THEN 'channel/' || substr(ltrim(act, 'ACDEGHILOPSTU'), 11)
    WHEN act LIKE '% /user_groups/%' THEN 'group/' || substr(ltrim(act, 'ACDEGHILOPSTU'), 15)
    WHEN act LIKE '% /messages/%' THEN 'message/' || substr(ltrim(act, 'ACDEGHILOPSTU'), 12)
    END
    WHERE act LIKE '% /%';
UPDATE audit_entry SET object = 'user/' || substr(details, length('{"user_id":') + 1)
    WHERE act LIKE 'provider %' AND details LIKE '{"user_id":%';
UPDATE audit_entry SET object = 'user/' || substr(details, length('{"numbers":[') + 1)
    WHERE act LIKE 'user %' AND act <> 'user import' AND details LIKE '{"numbers":[%';
UPDATE audit_entry SET object = substr(object, 1, length(object) - length(ltrim(ltrim(object,
    'abcdefghijklmnopqrstuvwxyz/'), '0123456789'))) WHERE object IS NOT NULL;
UPDATE audit_entry SET object = NULL WHERE object = rtrim(object, '0123456789');

CREATE INDEX audit_entry_by_actor ON audit_entry (realm_id, actor_id, id);
CREATE INDEX audit_entry_by_object ON audit_entry (realm_id, object, id) WHERE object IS NOT NULL;
