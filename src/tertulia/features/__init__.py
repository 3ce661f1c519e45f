"""The features: one module for each thing that nothing else depends on. This is their list.

A module has record, rules, events, actions and endpoints of its feature, from top to bottom, and
`FEATURE`: what the feature adds to the core.
"""

from tertulia.actions.messages.deletion import BEFORE_DELETION
from tertulia.actions.people.agent_revocation import BEFORE_END
from tertulia.domain.organization.audit import AREA_PATTERNS
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.register_parts import PARTS
from tertulia.events.snapshot.snapshot_data import OWNED
from tertulia.features import (
    administration,
    alert_words,
    answers,
    apps,
    bot_storage,
    calls,
    catch_up,
    channel_folders,
    custom_emoji,
    deactivation,
    digests,
    drafts,
    exports,
    first_run,
    forum,
    invitations,
    key_rotation,
    legal_holds,
    link_previews,
    linkifiers,
    mail_domains,
    muted_users,
    navigation_views,
    notifications,
    organization_pictures,
    outdated_renderings,
    outgoing_webhooks,
    passkeys,
    playgrounds,
    presence,
    profile_fields,
    reminders,
    reports,
    retention,
    scheduled,
    second_factors,
    snippets,
    statuses,
    topic_summary,
    typing,
    usage,
    video_calls,
    welcome_message,
)
from tertulia.storage.erasure import STAYS

FEATURES = (
    alert_words.FEATURE,
    answers.FEATURE,
    apps.endpoints.FEATURE,
    calls.endpoints.FEATURE,
    channel_folders.FEATURE,
    custom_emoji.FEATURE,
    digests.FEATURE,
    drafts.FEATURE,
    invitations.FEATURE,
    legal_holds.FEATURE,
    link_previews.FEATURE,
    linkifiers.FEATURE,
    mail_domains.FEATURE,
    muted_users.FEATURE,
    navigation_views.FEATURE,
    notifications.endpoints.FEATURE,
    outdated_renderings.FEATURE,
    outgoing_webhooks.FEATURE,
    playgrounds.FEATURE,
    presence.FEATURE,
    profile_fields.FEATURE,
    reminders.FEATURE,
    reports.FEATURE,
    retention.FEATURE,
    scheduled.endpoints.FEATURE,
    snippets.FEATURE,
    statuses.FEATURE,
    typing.FEATURE,
)

for each in FEATURES:
    LISTS.update(each.register)
    PARTS.extend(each.state.items())
    OWNED.update(each.facts)
    STAYS.update(each.stays_after_erasure)
    for area, patterns in each.audit.items():
        AREA_PATTERNS[area].extend(patterns)
    if each.before_deletion is not None:
        BEFORE_DELETION.append(each.before_deletion)
    if each.before_end_of_grant is not None:
        BEFORE_END.append(each.before_end_of_grant)
