"""`python -m tests.offices` prints what became of each file whose proposal was accepted without an edit."""

from tests.offices.accepting import attempt
from tests.offices.files import offices
from tests.offices.office import Office

HEADER = ("file", "office", "rows × columns", "truly", "ids released", "names", "totals", "alone", "first attempt")


def main() -> None:
    """Print the table, a line for each file as soon as it is done, and the sums."""
    print(_line(HEADER))
    print(_line(["---"] * len(HEADER)))
    made = offices()
    for office in made:
        print(_line(_figures(office)), flush=True)
    ends = [attempt(office) for office in made]
    found = [end.exposed for end in ends if end.exposed is not None]
    ids = sum(count for each in found for count, _ in each.ids.values())
    names, totals = sum(each.names for each in found), sum(each.totals for each in found)
    print(f"\n{len(found)} of {len(ends)} released, {sum(not each for each in found)} of them without any of these:")
    print(f"{ids} ids, {names} names, {totals} rows of totals; {sum(each.alone for each in found)} records are alone")


def _figures(office: Office) -> list[str]:
    end = attempt(office)
    size = f"{len(office.rows):,} × {len(office.header)}"
    about = [office.file_name, f"{office.country}, {office.name}", size, office.truth.shape.replace("_", " ")]
    if end.exposed is None:
        return [*about, "", "", "", "", f"stopped: {end.asked}"]
    ids = ", ".join(f"{name} {count} of {values}" for name, (count, values) in end.exposed.ids.items())
    counts = [str(count) for count in (end.exposed.names, end.exposed.totals, end.exposed.alone)]
    return [*about, ids or "0", *counts, "released" + ", misread" * end.misread]


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
