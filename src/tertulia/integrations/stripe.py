"""Stripe: https://docs.stripe.com/api/events"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, fact_list, humanize, line, link, quote_url
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

# Object types, and where Stripe's dashboard shows them.
PAGES = {
    "account": "",
    "balance": "balance",
    "charge": "payments",
    "checkout": "payments",
    "coupon": "coupons",
    "customer": "customers",
    "invoice": "invoices",
    "invoiceitem": "invoices",
    "payment_intent": "payments",
    "payment_link": "payment-links",
    "payment_method": "",
    "payout": "payouts",
    "plan": "plans",
    "price": "prices",
    "product": "products",
    "quote": "quotes",
    "refund": "refunds",
    "review": "radar/reviews",
    "setup_intent": "setup_intents",
    "subscription_schedule": "subscription_schedules",
    "transfer": "connect/transfers",
}
NESTED = {
    "customer.subscription": "subscriptions",
    "charge.dispute": "disputes",
    "customer.source": "",
    "customer.discount": "",
    "charge.refund": "refunds",
    "checkout.session": "",
}
FIXED_TOPICS = {
    "account": "account updates",
    "charge.dispute": "disputes",
    "charge.refund": "refunds",
}
OTHER_TOPICS = {"charge": "charges"}  # of events without a customer
# Currencies without a smaller unit.
WHOLE = {
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv",
    "xaf", "xof", "xpf",
}  # fmt: skip


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("type")
    category, _, _ = event.partition(".")
    if category not in PAGES:
        raise UnknownEvent(event)
    thing = payload.get("data.object")
    kind, _, verb = event.rpartition(".")
    page = NESTED.get(kind, PAGES[category])
    name = thing.words("name", "email", "number", "description", "id") or "without a name"
    address = ""
    if page and thing.words("id"):
        address = f"https://dashboard.stripe.com/{page}/{quote_url(thing.words('id'))}"
    test = "" if payload.find("livemode").value is not False else " (test mode)"
    headline = f"{humanize(kind).capitalize()} {link(name, address)} {humanize(verb)}{test}."
    about = fact_list(
        [
            ("Amount", _amount(thing)),
            ("Customer", line(thing.words("customer_email", "billing_details.email", "customer"))),
            ("Status", line(humanize(thing.words("status")))),
            ("Reason", line(thing.words("failure_message", "last_payment_error.message"))),
            ("Changed", _changed(payload)),
        ]
    )
    return WebhookMessage(event, _topic(kind, thing), f"{headline}\n\n{about}".rstrip())


def _topic(kind: str, thing: Payload) -> str:
    """Zulip's: events of a customer are in a topic of theirs."""
    if kind == "customer":
        return line(thing.words("id")) or "customer"
    customer = line(thing.words("customer.id", "customer"))
    return FIXED_TOPICS.get(kind) or customer or OTHER_TOPICS.get(kind, humanize(kind))


def _amount(thing: Payload) -> str:
    currency = thing.words("currency").lower()
    for name in ("amount", "amount_due", "total", "amount_total", "unit_amount"):
        amount = thing.find(name).value
        if isinstance(amount, int) and not isinstance(amount, bool) and currency:
            if currency in WHOLE:
                return f"{amount} {line(currency.upper())}"
            sign = "-" if amount < 0 else ""
            return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02} {line(currency.upper())}"
    return ""


def _changed(payload: Payload) -> str:
    before = payload.find("data.previous_attributes").value
    return (
        ", ".join(code(str(name)) for name in list(before)[:10]) if isinstance(before, dict) else ""
    )
