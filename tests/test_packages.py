"""Packages: every list of them has all of them.

The first contract in pyproject.toml is the source. Makefile, mypy, vulture and tests look for packages themselves; the
lists here are those that a tool needs written out. Those of the image are in test_image.py.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def product_packages() -> set[str]:
    """Folders of the root that are packages, without those only for development or measurement."""
    packages = [*ROOT.glob("*/__init__.py"), *ROOT.glob("client/*/__init__.py")]
    return {path.parent.name for path in packages} - {"tests", "bench"}


def test_every_package_has_its_place_in_the_first_contract() -> None:
    linter = PROJECT["tool"]["importlinter"]
    layers = next(each["layers"] for each in linter["contracts"] if each["id"] == "processes")
    assert set(re.findall(r"\w+", " ".join(layers))) == set(linter["root_packages"]) == product_packages()
    assert set(PROJECT["tool"]["coverage"]["run"]["source_pkgs"]) == product_packages()


def test_every_list_of_packages_has_all_of_them() -> None:
    contracts = {each["id"]: each for each in PROJECT["tool"]["importlinter"]["contracts"]}
    for name, source, allowed in (
        ("independence", "verifier", set()),
        ("formats", "formats", {"api_schemas"}),
        ("client", "antifaz_client", set()),
    ):
        forbidden = set(contracts[name]["forbidden_modules"])
        assert product_packages() - forbidden == {source, *allowed}, name
    packed = {name.rstrip("*") for name in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]}
    assert packed == product_packages() - {"verifier", "antifaz_client", "handbook"}
