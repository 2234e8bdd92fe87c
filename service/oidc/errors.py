"""What can be wrong with a token of the provider, or with the provider."""


class InvalidToken(Exception):
    """The token does not count; the sentence says why and repeats nothing of it."""


class NoPlaceHere(Exception):
    """The token is genuine, and the settings give its bearer no role or tenant."""


class ProviderDown(Exception):
    """Whether the token counts cannot be known now: the provider does not answer, or not as it should."""
