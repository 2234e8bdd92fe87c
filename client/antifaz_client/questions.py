"""Questions under differential privacy, their cost, and their answers as rows or as a frame."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from antifaz_client import display
from antifaz_client.conversions import library
from antifaz_client.errors import Failed
from antifaz_client.transport.calls import WAIT_SECONDS, call, document, document_in
from antifaz_client.transport.flow import Flow, operation

_ENDED = frozenset({"done", "failed", "cancelled"})
_CONDITION = re.compile(r"([^<>=!]*[^<>=!\s])\s*(<=|>=|!=|[<>](?!=)|=)\s*(\S.*)")
_OPERATORS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "!=": "ne"}

Select = str | Mapping[str, Any] | Sequence[Any]
Where = str | Mapping[str, Any] | Sequence[Any] | None


class Answer:
    """The answer to a question, with its cost and the remaining budget."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.document = dict(content)
        self.id = str(content["id"])

    @property
    def cost(self) -> dict[str, float]:
        """The charge for the question when it was first asked."""
        return {name: loss for name, loss in self.document["cost"].items() if loss is not None}

    @property
    def remaining(self) -> float:
        """The caller's remaining budget."""
        return float(self.document["remaining"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for every number: its name, group and bin, the value, and the interval that contains the truth in
        95 of 100 draws."""
        return [row for answered in self.document["answers"] for row in _rows(answered)]

    def to_pandas(self) -> Any:
        """The rows as a frame; cost and remaining are in its `attrs`."""
        frame = library("pandas").DataFrame(self.rows)
        frame.attrs.update(query=self.id, cost=self.cost, remaining=self.remaining)
        return frame

    def to_polars(self) -> Any:
        """The rows as a polars frame."""
        return library("polars").DataFrame(self.rows, strict=False)

    def __repr__(self) -> str:
        return f"<Answer {self.id}: {len(self.rows)} value(s), cost {self.cost}, {self.remaining} left>"

    def _repr_html_(self) -> str:
        heads = list(dict.fromkeys(head for row in self.rows for head in row)) or ["value"]
        table = display.table(heads, ([row.get(head) for head in heads] for row in self.rows))
        return display.titled(f"{self.remaining} left", table)


def _rows(answered: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    ((kind, stated),) = answered["select"].items()
    column = stated if isinstance(stated, str) else stated.get("column")
    about: dict[str, Any] = {"select": kind, "column": column}
    if kind == "quantile":
        about["at"] = stated["at"]
    for cell in answered["cells"]:
        found = cell.get("bin")
        bins = {} if found is None else {"from": found[0], "to": found[1]}
        low, high = cell["interval95"]
        numbers = {"value": cell["value"], "low": low, "high": high, "scale": cell["scale"]}
        yield {**about, **cell["group"], **bins, **numbers}


def question_of(
    select: Select,
    where: Where = None,
    group_by: str | Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """The body of a question: `"count"`, `{"mean": "age"}` or a list of these; conditions as `"age >= 18"` or as in the
    API."""
    chosen = [select] if isinstance(select, str | Mapping) else list(select)
    body: dict[str, Any] = {"select": [{"count": {}} if each == "count" else each for each in chosen]}
    conditions = [] if where is None else [where] if isinstance(where, str | Mapping) else list(where)
    if conditions:
        body["where"] = [condition_of(each) if isinstance(each, str) else dict(each) for each in conditions]
    if group_by:
        body["group_by"] = [group_by] if isinstance(group_by, str) else list(group_by)
    return body | {name: value for name, value in more.items() if value is not None}


def condition_of(text: str) -> dict[str, Any]:
    """Read a condition such as `age >= 18` or `sex = F`."""
    found = _CONDITION.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"a condition is a column, one of {' '.join(_OPERATORS)} and a value")
    column, operator, value = found.groups()
    return {"column": column, "op": _OPERATORS[operator], "value": _value(value)}


def _value(text: str) -> Any:
    try:
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        return text.strip("'\"")


def answered(dataset_id: str, body: Mapping[str, Any]) -> Flow[Answer]:
    """Ask, and wait for the answer. A question that was charged and cannot be answered raises `Failed`."""
    query: dict[str, Any] = yield from document("create_query", dataset_id, json=dict(body))
    while query["status"] not in _ENDED:
        query = yield from document("get_query", query["id"], params={"wait": WAIT_SECONDS})
    if query["status"] != "done":
        raise Failed(query)
    return Answer(query)


def expected(dataset_id: str, body: Mapping[str, Any], rows: int | None) -> Flow[dict[str, Any]]:
    """How accurate an answer would be and what it would cost; the data is not read and nothing is charged."""
    assumed = {} if rows is None else {"rows": rows}
    answer = yield from call("create_query", dataset_id, json={**body, "accuracy": True, **assumed})
    return document_in(answer, "accuracy")


class QuestionOperations:
    """Operations on questions."""

    @operation
    def ask(self, /, dataset: Any, select: Select, **question: Any) -> Flow[Any]:
        """Ask about a table, and return a pandas frame with one row for every number and its interval.

        `client.ask(dataset, [{"mean": "age"}], where="age >= 18", group_by="sex", epsilon=0.1)`. The cost and the
        remaining budget are in the frame's `attrs`. Asking the same question again returns the same answer for free.
        """
        found = yield from answered(_dataset_id(dataset), question_of(select, **question))
        return found.to_pandas()

    @operation
    def question(self, /, dataset: Any, select: Select, **question: Any) -> Flow[Answer]:
        """Like `ask`, but return an `Answer`, which does not need pandas."""
        return (yield from answered(_dataset_id(dataset), question_of(select, **question)))

    @operation
    def accuracy(
        self, /, dataset: Any, select: Select, rows: int | None = None, **question: Any
    ) -> Flow[dict[str, Any]]:
        """The accuracy and cost of an answer, before any charge. For means, variances and quantiles a number of rows is
        assumed."""
        return (yield from expected(_dataset_id(dataset), question_of(select, **question), rows))

    @operation
    def declarations(self, dataset: Any) -> Flow[dict[str, Any]]:
        """What may be asked about a dataset."""
        return (yield from document("get_declarations", _dataset_id(dataset)))

    @operation
    def declare(self, dataset: Any, declarations: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """Declare what may be asked about a dataset, and at which budget."""
        return (yield from document("put_declarations", _dataset_id(dataset), json=dict(declarations)))

    @operation
    def grant(self, /, dataset: Any, token_id: str, **loss: float) -> Flow[dict[str, Any]]:
        """Let an analyst's token spend part of a dataset's budget: `epsilon=1`, or `rho=0.1`."""
        return (yield from document("create_grant", _dataset_id(dataset), json={"token_id": token_id, **loss}))

    @operation
    def grants(self) -> Flow[list[dict[str, Any]]]:
        """The budgets of analysts; for an analyst, the datasets that they may ask about."""
        return list((yield from document("list_grants"))["items"])


def _dataset_id(dataset: Any) -> str:
    return str(getattr(dataset, "id", dataset))
