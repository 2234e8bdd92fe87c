"""The only way to compile functions, also if compilation is disabled."""

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np

from antifaz.kernels.numba import linking
from antifaz.kernels.numba.compiled import compiled


def test_a_process_that_compiles_nothing_knows_every_part():
    # Every process of the service loads all parts when it starts: scipy.stats would add a quarter to that.
    count = "print(len(catalogue.parts('methods')), 'scipy.stats' in sys.modules)"
    code = f"import sys; from antifaz import catalogue; {count}"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    parts, loaded = told.stdout.split()
    assert int(parts) > 20
    assert loaded == "False"


@compiled()
def twice(number):
    """Below both others."""
    return number + number


@compiled()
def fourfold(number):
    """Calls and is called."""
    return twice(twice(number))


@compiled("int64(int64[::1])")
def fivefold_sum(numbers):
    """The kernel; a function that it calls it calls also through another."""
    total = 0
    for number in numbers:
        total += fourfold(number) + twice(number) - number
    return total


def test_functions_below_a_kernel_become_machine_code_only_as_parts_of_it(monkeypatch, tmp_path):
    # A kernel that an earlier run left in the cache would be loaded whole, and nothing below it compiled.
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert fivefold_sum(np.arange(5)) == 50
    for function in (twice, fourfold):
        (version,) = function.dispatcher.overloads.values()
        assert isinstance(version.library, linking.Piece)
        assert version.library.get_pointer_to_function(version.fndesc.llvm_func_name) == 0


@compiled()
def shared(number):
    """Below kernels that several threads call first."""
    return 3 * number


@compiled("int64(int64)")
def one_more(number):
    """One of them."""
    return shared(number) + 1


@compiled("int64(int64)")
def two_more(number):
    """The other."""
    return shared(number) + 2


def test_threads_that_call_kernels_for_the_first_time_at_the_same_time_get_one_function_below(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda kernel: kernel(5), [one_more, two_more] * 2)) == [16, 17] * 2
    assert len(shared.dispatcher.overloads) == 1


def test_no_kernel_takes_more_arguments_than_a_reader_can_keep_apart():
    # Related arguments are a named tuple, which is passed by its address.
    folder = Path(linking.__file__).parents[1]
    found = {
        f"{path.stem}.{function.name}": len(function.args.args)
        for path in folder.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
    }
    assert len(found) > 200
    assert {name: count for name, count in found.items() if count > 11} == {}
