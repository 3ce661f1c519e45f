"""The endpoints, by subject: the signature is the contract. `routes` is the map of them all."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.api import (
        audit,
        authentication,
        call,
        channels,
        cookies,
        events,
        examples,
        files,
        freshness,
        groups,
        guards,
        integrations,
        later,
        messages,
        openapi_texts,
        openapi_webhooks,
        organization,
        people,
        permission_values,
        personal,
        register_schema,
        rights_recheck,
        setting_values,
    )
else:
    __getattr__ = lazy_submodules(__name__)
