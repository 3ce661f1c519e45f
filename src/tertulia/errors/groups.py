"""User groups."""

from tertulia.errors import ClientError


class GroupNotFound(ClientError):
    message = "Invalid user group"
    problem = "invalid-user-group"
    reports_absence = True


class SubgroupNotFound(ClientError):
    message = "Invalid user group ID: {group_id}"
    problem = "invalid-user-group"
    reports_absence = True


class MemberNotFound(ClientError):
    message = "Invalid user ID: {user_id}"
    problem = "invalid-user-id"
    reports_absence = True


class GroupIsDeactivated(ClientError):
    message = "User group is deactivated."
    problem = "group-deactivated"


class GroupInUse(ClientError):
    code = "CANNOT_DEACTIVATE_GROUP_IN_USE"
    message = "Cannot deactivate user group in use."
    keys = ("objections",)


class SystemGroupRequired(ClientError):
    code = "SYSTEM_GROUP_REQUIRED"
    message = "'{setting_name}' must be a system user group."
    problem = "bad-value"
    keys = ("setting_name",)
