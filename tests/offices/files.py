"""The twenty files."""

from tests.offices import clubs, health, justice, money, surveys, traces
from tests.offices.office import Office

_MAKERS = (
    *(surveys.dutch_panel, surveys.hungarian_survey, surveys.turkish_friendships, surveys.spanish_school),
    *(health.greek_hospital, health.swedish_trial, health.portuguese_social_services, health.indian_insurer),
    *(money.french_taxes, money.polish_bank, money.german_personnel, money.czech_meters),
    *(justice.british_police, justice.american_court, justice.bulgarian_voters),
    *(traces.finnish_contacts, traces.danish_calls, traces.japanese_searches),
    *(clubs.italian_loans, clubs.romanian_club),
)


def offices() -> list[Office]:
    """All files, the same in every run."""
    return [make() for make in _MAKERS]
