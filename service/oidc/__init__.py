"""OpenID Connect: callers and people whom a provider of the operator's vouches for, beside our own tokens.

Portals send JWT access tokens (RFC 9068), people sign in to the console by the code flow with PKCE (RFC 7636). The
provider says who somebody is; roles and tenants are mapped by the settings.
"""
