-- An organization is read when somebody comes, and must not cost more the more others there are.
CREATE INDEX user_group_member_by_realm ON user_group_member (realm_id, group_id, user_id);
CREATE INDEX user_group_subgroup_by_realm ON user_group_subgroup (realm_id, group_id, subgroup_id);
CREATE INDEX subscription_by_realm ON subscription (realm_id, channel_id, user_id) WHERE active;
CREATE INDEX emoji_by_realm ON emoji (realm_id, id);
CREATE INDEX account_by_email ON account (email_key);
