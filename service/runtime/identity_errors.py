"""Errors of a provider's token, or of the provider."""


class InvalidToken(Exception):
    """The token is not valid; the message states why without repeating any of it."""


class NoPlaceHere(Exception):
    """The token is genuine, but the settings give its bearer no role or tenant."""


class ProviderDown(Exception):
    """The token cannot be checked now: the provider does not answer correctly."""
