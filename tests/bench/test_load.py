"""The load bench's options and its evaluation of figures, without the measurements themselves."""

import os
from pathlib import Path

import pytest

from bench.load.__main__ import PARTS, arguments, command, main
from bench.load.against import in_turns, verdict
from bench.load.comparing import Comparison, slope, unsteady
from bench.load.rig import machine, patients, table_policy
from bench.page import sections_of


def test_everything_but_the_soak_is_measured_unless_told_otherwise():
    chosen = arguments([])
    assert chosen.only == [part for part in PARTS if part != "soak"]
    assert (chosen.rounds, chosen.seconds) == (6, 5.0)


def test_parts_are_measured_in_their_order_whatever_the_order_asked():
    assert arguments(["--only", "post, get"]).only == ["get", "post"]
    assert arguments(["--only", "get", "--soak-minutes", "1"]).only == ["get", "soak"]


@pytest.mark.parametrize("given", [["--only", "gett"], ["--only", "soak"], ["--rounds", "few"]])
def test_what_makes_no_sense_is_refused(given, capsys):
    with pytest.raises(SystemExit):
        arguments(given)
    assert "usage" in capsys.readouterr().err


def test_the_page_says_how_to_measure_the_same_again(tmp_path: Path):
    given = ["--only", "get,soak", "--rounds", "2", "--seconds", "1.5", "--soak-minutes", "3"]
    said = command(arguments([*given, "--page", str(tmp_path)]))
    assert said.split()[3:] == given
    assert str(tmp_path) not in said


def test_the_median_of_the_rounds_counts():
    found = Comparison(yardstick=[100.0, 100.0, 110.0], own=[30.0, 50.0, 44.0])
    assert found.ratio == pytest.approx(0.4)
    assert found.variation == pytest.approx(0.1)
    assert found.void is None


def test_a_yardstick_that_wanders_makes_the_part_void():
    assert "40%" in (Comparison(yardstick=[80.0, 100.0, 120.0], own=[1.0, 1.0, 1.0]).void or "")


def test_any_yardstick_can_be_too_unsteady_to_measure_by():
    assert unsteady("idle reads", [100.0, 100.0, 130.0]) is None
    assert unsteady("idle reads", [100.0, 100.0, 131.0]) == "idle reads varied by 31%, more than 30%"


def test_the_slope_is_that_of_the_line_that_fits_best():
    assert slope([0.0, 1.0, 2.0], [5, 7, 9]) == pytest.approx(2.0)
    assert slope([], []) == slope([1.0], [3]) == 0.0


def test_the_machine_is_described_without_its_name():
    assert "GiB" in machine()
    assert os.uname().nodename not in machine().split()


def test_the_samples_columns_are_those_of_the_policy():
    head, *rows = patients(3).decode().splitlines()
    assert head.split(",") == list(table_policy()["attributes"])
    assert len(rows) == 3
    assert patients(3) == patients(3) != patients(3, seed=2)


@pytest.mark.long
def test_the_whole_stack_is_measured_and_the_page_written(tmp_path: Path):
    page = tmp_path / "page.md"
    main(["--only", "get,memory", "--rounds", "1", "--seconds", "0.5", "--page", str(page)])
    assert list(sections_of(page.read_text())) == ["get", "memory"]
    memory = sections_of(page.read_text())["memory"]
    assert "| no |" not in memory


class Machine:
    """Slows down with every measurement, of either side."""

    def __init__(self):
        self.speed = 1.0

    def measured(self, rate):
        self.speed *= 0.97
        return rate * self.speed


class Stand:
    """A checkout that answers at its own rate."""

    def __init__(self, machine, own):
        self.machine, self.own = machine, own

    def rate(self, what, seconds):
        return self.machine.measured(self.own)


def test_two_checkouts_in_turns_compare_neighbors_on_a_machine_that_slows_down():
    shared = Machine()
    before, now = in_turns([Stand(shared, 100.0), Stand(shared, 95.0)], "post", rounds=20, seconds=1.0)
    assert len(before) == len(now) == 20
    # The machine lost seven tenths of its speed meanwhile; the first side alternates, so neither has an advantage.
    assert before[-1] < 0.4 * before[0]
    ratio, error = (float(word) for word in verdict("post", before, now).split(", ")[1].split()[0:3:2])
    assert abs(ratio - 0.95) < 0.002
    assert error < 0.01
