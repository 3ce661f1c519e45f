"""Security headers of pages: content security policy, framing, referrer."""

from collections.abc import Sequence

SCRIPTS = "script-src 'self'; require-trusted-types-for 'script'; trusted-types rendered"


def of_page(
    *, scripts: bool = False, form_targets: Sequence[str] = (), devices: bool = False
) -> dict[str, str]:
    """`form_targets` are origins, besides our own, to which a form may redirect. With `devices` the
    page may ask for the microphone and the camera."""
    allowed = "(self)" if devices else "()"
    refused = "geolocation=(), payment=(), usb=()"
    policy = [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        " ".join(["form-action 'self'", *form_targets]),
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
    if scripts:
        policy.append(SCRIPTS)
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": f"camera={allowed}, microphone={allowed}, {refused}",
    }
