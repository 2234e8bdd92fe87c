"""Refusals because of earlier releases: their texts, and the rule that all releases show a column in the same way.

A joint check intersects the classes of releases, which are made of their quasi-identifiers. It sees nothing of a column
that is a quasi-identifier here and a plain value there. Nor does it see a column that only one of two releases shows
as a plain value: with regions next to diseases in one release and ages next to diseases in another, an attacker
who knows both intersects the diseases. So a column that is hidden in one release is not a plain value in another, if
the two have another column in common by which their records can be compared.
"""

from collections.abc import Collection, Mapping, Sequence

from antifaz.errors import Infeasible, Reason
from antifaz.kinds.kind import Dataset
from antifaz.policy.model import Policy
from antifaz.tables.table import Role
from storage.releases.releases import ReleaseRecord

_MOST_NAMED = 3
_HIDDEN, _PLAIN, _PSEUDONYM = "hidden", "plain", "pseudonym"
_OTHERS = ({_HIDDEN, Role.QUASI_IDENTIFIER.value},)
"""Different ways of showing a column that the joint check compares."""


def refused(detail: str, earlier: Sequence[ReleaseRecord], *remedies: str) -> Infeasible:
    """A refusal because of these releases, with what is possible now."""
    return Infeasible([Reason("composition", 0, len(earlier), with_remedy(detail, earlier, *remedies))])


def with_remedy(detail: str, earlier: Sequence[ReleaseRecord], *remedies: str) -> str:
    """A detail with the releases that it is about and what is possible now."""
    named = ", ".join(str(release.id) for release in earlier[:_MOST_NAMED])
    more = f" and {len(earlier) - _MOST_NAMED} more" if len(earlier) > _MOST_NAMED else ""
    possible = "; or ".join([*remedies, "waive composition with a reason"])
    about = f"; release {named}{more}" if earlier else ""
    return f"{detail}{about}. Possible now: {possible}"


def refuse_other_ways(
    earlier: Sequence[ReleaseRecord], counted: Collection[ReleaseRecord], policy: Policy, dataset: Dataset
) -> None:
    """Refuse a release that shows a column in another way than an earlier one, unless the joint check compares the
    two. Between releases whose losses are counted together, a hidden column tells nothing that is not counted."""
    here, repeated = _ways_here(policy), _repeated(policy, dataset)
    found = {r.id: _clashes(_ways_there(r), here, None if r in counted else repeated) for r in earlier}
    clashing = [release for release in earlier if found[release.id]]
    if clashing:
        names = ", ".join(sorted(set().union(*found.values())))
        detail = f"one release generalizes or hides columns that another publishes unchanged: {names}"
        raise refused(detail, clashing, "give these columns the roles that they have there")


def _ways_here(policy: Policy) -> dict[str, str]:
    return {
        name: (_PSEUDONYM if attribute.pseudonym else _HIDDEN)
        if attribute.role is Role.IDENTIFIER
        else _way(attribute.role.value)
        for name, attribute in policy.attributes.items()
    }


def _ways_there(release: ReleaseRecord) -> dict[str, str]:
    """Columns that are not listed are hidden, or that version did not have them: both are the same to a reader."""
    return {str(column["source"]): _way(column["role"]) for column in release.dictionary}


def _way(role: str) -> str:
    """The way in which a released column is shown; an identifier is released as a pseudonym only."""
    if role in (Role.SENSITIVE, Role.INSENSITIVE):
        return _PLAIN
    return _PSEUDONYM if role == Role.IDENTIFIER else str(role)


def _repeated(policy: Policy, dataset: Dataset) -> set[str]:
    """Columns whose values belong to several rows, except the column of people: a pseudonym of such a column groups
    rows as the value itself would."""
    return {c.name for c in dataset.columns if len(c.values) < dataset.n} - {policy.unit()}


def _clashes(there: Mapping[str, str], here: Mapping[str, str], repeated: Collection[str] | None) -> set[str]:
    """The columns that the two releases show in ways that cannot be checked together; without ``repeated``, a hidden
    column is none of them."""
    both = {name: (there.get(name, _HIDDEN), here.get(name, _HIDDEN)) for name in {*there, *here}}
    links = {name for name, ways in both.items() if set(ways) <= {_PLAIN, _PSEUDONYM}}
    return {
        name
        for name, ways in both.items()
        if ways[0] != ways[1] and set(ways) not in _OTHERS and not _is_apart(name, set(ways), links, repeated)
    }


def _is_apart(name: str, ways: set[str], links: set[str], repeated: Collection[str] | None) -> bool:
    """Whether a column that one release hides adds nothing to the other: there is no other column by which records of
    the two can be compared, or it is a pseudonym that groups no rows."""
    if _HIDDEN not in ways:
        return False
    return repeated is None or not links - {name} or (_PSEUDONYM in ways and name not in repeated)
