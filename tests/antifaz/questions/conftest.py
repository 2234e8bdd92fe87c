"""Tables to ask about."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from antifaz.questions.answers import answer
from antifaz.questions.columns import AskedTable, prepare
from antifaz.questions.declarations import Declarations
from antifaz.questions.plan import plan
from antifaz.questions.question import Question, faults_of
from formats.core.raw import RawColumn

SALARIES = (50_000, 58_000, 72_000, 59_000, 68_000)
"""The course's table; its neighbor has one person more, who earns 110,000."""


def raw(name: str, cells: Any) -> RawColumn:
    """A column as read from a file."""
    values, codes = np.unique(np.array([str(cell) for cell in cells], dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values.astype(object))


def declared(**more: Any) -> Declarations:
    """Declarations of salaries, in thousands."""
    columns = {
        "salary": {"type": "decimal", "bounds": [0, 100_000], "step": 1000},
        "age": {"type": "integer", "bounds": [0, 120]},
        "sex": {"type": "text", "keys": ["M", "F"]},
        "born": {"type": "date", "bounds": ["1992-01-01", "2002-01-01"]},
        "city": {"type": "text"},
    }
    budget = {"rho": 1} if more.get("measure") == "zcdp" else {"epsilon": 10}
    return Declarations.model_validate({"columns": columns, "budget": budget, "delta": 1e-6} | more)


def question(select: Any, **more: Any) -> Question:
    """A question at an epsilon of 1."""
    chosen = select if isinstance(select, list) else [select]
    return Question.model_validate({"select": chosen, "epsilon": 1} | more)


class Table:
    """A table with declarations, ready for questions."""

    def __init__(self, declarations: Declarations, /, seed: int = 0, **columns: Any) -> None:
        self.declared = declarations
        cells = {name: list(column) for name, column in columns.items()}
        n = len(next(iter(cells.values())))
        made = [raw(name, column) for name, column in cells.items()]
        self.prepared: AskedTable = prepare(made, n, declarations, np.random.default_rng(seed))

    def ask(self, asked: Question) -> list[dict[str, Any]]:
        """The answers to a question."""
        assert list(faults_of(asked, self.declared)) == []
        return answer(self.prepared, asked, self.declared, plan(asked, self.declared))

    def value(self, select: Any, **more: Any) -> Any:
        """The value of the only cell, at an epsilon so large that noise is negligible."""
        return self.ask(question(select, **{"epsilon": 1e6} | more))[0]["cells"][0]["value"]

    def draws(self, asked: Question, count: int) -> NDArray[np.float64]:
        """Repeated draws of the first cell."""
        made = plan(asked, self.declared)
        cells = (answer(self.prepared, asked, self.declared, made)[0]["cells"] for _ in range(count))
        return np.array([each[0]["value"] for each in cells], dtype=np.float64)


@pytest.fixture
def salaries() -> Table:
    return Table(declared(), salary=SALARIES)
