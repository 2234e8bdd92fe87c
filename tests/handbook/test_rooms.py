"""The map of rooms: written from signs and contracts, and complete."""

import ast
from pathlib import Path

import pytest

from handbook.rooms import ROOT, folder_of, packages, rooms_of, with_layout, with_rooms

MOST_MODULES = 15
LEAVES = {"methods", "guarantees", "risk", "utility", "attacks", "strategies", "hierarchies", "versions"}
"""Folders of parts and migrations, which grow by one module for each, and are looked for by name."""


def folders() -> list[Path]:
    """Every folder of the product with modules."""
    roots = [folder_of(name) for name in packages()]
    return sorted({file.parent for root in roots for file in root.rglob("*.py")})


def test_no_folder_has_more_modules_than_one_can_survey() -> None:
    counts = {
        folder.relative_to(ROOT).as_posix(): len([file for file in folder.glob("*.py") if file.name != "__init__.py"])
        for folder in folders()
        if folder.name not in LEAVES and "kernels" not in folder.parts
    }
    assert len(counts) > 50
    assert {name: count for name, count in counts.items() if count > MOST_MODULES} == {}


def test_every_room_has_a_sign_and_no_room_passes_names_on() -> None:
    for folder in folders():
        if folder.name in LEAVES or folder.parent == ROOT or folder.parent.name == "client":
            continue
        sign = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(sign), folder
        if (
            folder.parent.name in ("service", "storage", "verifier", "formats", "workers", "stack")
            and folder.name != "orm"
        ):
            assert len(sign.body) == 1, folder


@pytest.mark.parametrize("package", ["verifier", "formats", "storage", "workers", "stack", "antifaz.tables"])
def test_every_room_of_a_package_has_its_place_in_the_order(package: str) -> None:
    order = " ".join(rooms_of(package))
    rooms = [sign.parent.name for sign in (ROOT / package.replace(".", "/")).glob("*/__init__.py")]
    assert rooms
    assert [room for room in rooms if room not in order] == []


def test_the_map_names_every_room_and_replaces_only_what_is_between_its_marks() -> None:
    page = "before\n<!-- rooms: written by `make docs` -->\nold\n<!-- end of rooms -->\nafter\n"
    text = with_rooms(page)
    assert text.startswith("before\n<!-- rooms")
    assert text.endswith("<!-- end of rooms -->\nafter\n")
    assert "\nold\n" not in text
    for room in ("`storage/blobs`", "`service/access`", "`verifier/people`", "`antifaz/kernels/graphs`"):
        assert room in text
    assert with_layout(page) == page
