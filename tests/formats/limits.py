"""The limits under which the formats are tested: the defaults of the settings, and changes of these."""

from formats.core.limits import Limits
from storage.settings import Settings


def limits_of(**changes: int) -> Limits:
    return Limits.of(Settings(**changes))
