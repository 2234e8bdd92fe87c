"""OpenID Connect: callers authenticated by an external provider, in addition to our own tokens.

Portals send JWT access tokens (RFC 9068); people sign in to the console by the code flow with PKCE (RFC 7636). The
provider authenticates the caller; the settings map claims to roles and tenants.
"""
