"""Packages that add to the engine, attacks and hierarchies: found, shown, and refused if they do not fit."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from antifaz import catalogue
from antifaz.extending.extensions import GROUP, HOOKS, OUTSIDE, extensions, packages
from tests.extensions import EXAMPLE, ROOT, environment, install_example, install_made_up, run

PAGE = ROOT / "docs" / "extending.md"
ATTACK = '''
from typing import Any, ClassVar, Literal
from antifaz.part import Story
from antifaz.tables.parts import TableAttack

class Guess(TableAttack):
    """Guess."""
    question: ClassVar[Any] = "identity"
    knows: ClassVar[str] = "nothing at all"
    learns: ClassVar[str] = "nothing at all"
    guesses: ClassVar[str] = "any record"
    story: ClassVar[Story] = Story("someone", "finds {}")
    name: Literal["guess"] = "guess"
    def attempt(self, table, released, rng, watch):
        return {"rate": 0.0, "baseline": 0.0}
'''
PARTS = "from antifaz import catalogue; print([part.wire_name() for part in catalogue.parts('attacks')])"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_example(tmp_path_factory.mktemp("example"))


def test_without_packages_there_are_our_parts_alone():
    assert [extensions(folder) for folder in HOOKS] == [(), ()]
    assert packages() == {}
    assert not any("package" in part for part in catalogue.describe("attacks"))


def test_the_tests_of_the_example_pass_where_it_is_installed(example):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", EXAMPLE, EXAMPLE / "tests"]
    done = subprocess.run(command, cwd=EXAMPLE, env=environment(example), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_catalogue_names_the_package_of_a_part(example):
    code = "import json; from antifaz import catalogue; print(json.dumps([catalogue.describe(c) for c in {!r}]))"
    found = json.loads(run(code.format(tuple(HOOKS)), example).stdout)
    added = {part["name"]: part["package"] for parts in found for part in parts if "package" in part}
    assert added == {"extremes": "antifaz-example 1.0", "time_of_day": "antifaz-example 1.0"}


def test_the_verifier_imports_no_extension(example):
    code = (
        "import sys, verifier.check, verifier.bundles, verifier.chain;"
        "print(sorted(name for name in sys.modules if name.startswith('antifaz')))"
    )
    assert run(code, example).stdout == "[]\n"


def test_a_complete_attack_is_found(tmp_path):
    folder = install_made_up(tmp_path, "guessing", "[antifaz.attacks]\nguess = guessing:Guess\n", {"guessing": ATTACK})
    assert "'guess'" in run(PARTS, folder).stdout


@pytest.mark.parametrize(
    ("group", "name", "source", "reason"),
    [
        ("attacks", "degree", ATTACK.replace('"guess"', '"degree"'), "there is another part called degree in attacks"),
        ("attacks", "other", ATTACK, "is called guess, not other"),
        ("hierarchies", "guess", ATTACK, "does not inherit from Hierarchy"),
        ("guarantees", "guess", ATTACK, "is announced as antifaz.guarantees; there are antifaz.attacks,"),
        ("methods", "guess", ATTACK, "is announced as antifaz.methods; there are antifaz.attacks,"),
        ("attacks", "guess", ATTACK.replace("class Guess", "class Other"), "cannot be imported"),
        ("attacks", "guess", ATTACK + "import absent_module", "cannot be imported: No module named 'absent_module'"),
        ("attacks", "guess", ATTACK.replace('"finds {}"', '"finds"'), "is not complete: its story must have braces"),
    ],
)
def test_no_process_starts_with_a_package_that_does_not_fit(tmp_path, group, name, source, reason):
    points = f"[antifaz.{group}]\n{name} = guessing:Guess\n"
    done = run(PARTS, install_made_up(tmp_path, "guessing", points, {"guessing": source}))
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert re.match(r"antifaz\.errors\.UnfitExtension: guessing 0\.1: ", last)
    assert reason in last


def test_two_packages_cannot_add_parts_of_one_name(tmp_path):
    points = "[antifaz.attacks]\nguess = {}:Guess\n"
    one, other = (
        install_made_up(tmp_path / name, name, points.format(name), {name: ATTACK}) for name in ("one", "other")
    )
    done = run(PARTS, one, other)
    assert "other 0.1: there is another part called guess in attacks" in done.stderr


def test_of_a_package_that_is_installed_twice_the_first_on_the_path_counts(tmp_path):
    points = "[antifaz.attacks]\nguess = one:Guess\n"
    twice = [install_made_up(tmp_path / name, "one", points, {"one": ATTACK}) for name in ("first", "second")]
    assert run(PARTS, *twice).stdout.count("'guess'") == 1


def test_every_hook_is_on_the_page_and_has_an_example():
    page, project = PAGE.read_text(encoding="utf-8"), (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    described = set(re.findall(rf"^## `{re.escape(GROUP)}(\w+)`$", page, re.MULTILINE))
    abouts = {folder: hook.about for folder, hook in HOOKS.items()} | OUTSIDE
    assert described == set(abouts)
    for folder, about in abouts.items():
        assert about in page
        assert f'[project.entry-points."{GROUP}{folder}"]' in project
