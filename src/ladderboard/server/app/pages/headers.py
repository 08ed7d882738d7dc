"""The Content-Security-Policy of pages."""

_POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "font-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def content_security_policy(**changes: str) -> str:
    """The policy; a page may change a directive, with underscores for hyphens.

    >>> content_security_policy(frame_ancestors="*").split("; ")[-1]
    'frame-ancestors *'
    """
    policy = _POLICY | {name.replace("_", "-"): value for name, value in changes.items()}
    return "; ".join(f"{name} {value}" for name, value in policy.items())


PAGE_HEADERS = {
    "Content-Security-Policy": content_security_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

PICTURE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
"""Of a picture in a description. It is asked for again each time, since a competition may become private."""


def make_embed_headers(sites: str) -> dict[str, str]:
    """The headers of the board that these sites may frame (setting ``embed_sites``). It has no cookies.

    >>> make_embed_headers("https://lab.example.org, https://*.example.com")["Content-Security-Policy"].split("; ")[-1]
    'frame-ancestors https://lab.example.org https://*.example.com'
    """
    named = " ".join(site.strip() for site in sites.split(",") if site.strip()) or "'none'"
    return {
        "Content-Security-Policy": content_security_policy(frame_ancestors=named, form_action="'none'"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
