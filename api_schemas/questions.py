"""Questions under differential privacy: what is declared, what is asked, what analysts may spend."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from antifaz.questions.declarations import Declarations
from antifaz.questions.question import Question
from api_schemas.schema import Answer, Body, Id

Loss = Annotated[float, Field(ge=0, le=1_000_000)]


class DeclarationsAnswer(Answer):
    """What is declared of a dataset and its other versions."""

    dataset_id: str
    version: int
    declarations: Declarations
    created_at: str


class QueryRequest(Question):
    """A question, or a question about its accuracy."""

    accuracy: bool = False
    """Answer how accurate the answer would be, without looking at the data and without a charge."""
    rows: Annotated[int, Field(strict=True, ge=1, le=10**12)] | None = None
    """For accuracy: the number of rows to assume in each group, on which means, variances and quantiles depend."""

    @model_validator(mode="after")
    def _rows_for_accuracy(self) -> Self:
        if self.rows is not None and not self.accuracy:
            raise ValueError("rows are assumed only when accuracy is asked for")
        return self

    def question(self) -> Question:
        """The question alone."""
        return Question(**{name: getattr(self, name) for name in Question.model_fields})


class Spent(Answer):
    """A loss, in the measure of the dataset's account."""

    epsilon: float | None = None
    rho: float | None = None
    delta: float | None = None


class Cell(Answer):
    """One number of an answer."""

    group: dict[str, str]
    """The keys of the group."""
    bin: list[Any] | None = None
    """Of a histogram: where the bin begins and ends."""
    value: float | int | str
    scale: float
    """The scale of the noise: of counts and sums in their own unit, of means and variances by the noisy count, of
    quantiles in rows."""
    interval95: list[Any]
    """Holds what the declared, bounded rows say in 95 of 100 draws."""
    coverage: float | None = None
    """The chance with which it does: of counts and sums exactly, which is more than 0.95 if their noise is so narrow
    that no whole number of rows comes near it; else 0.95 to a hundredth."""
    cost: Spent
    """What the cells of this selection cost together."""
    remaining: float
    """What is left to whoever asks, now."""


class Answered(Answer):
    """The answer to one selected thing."""

    select: dict[str, Any]
    cells: list[Cell]


class Query(Answer):
    """A question and its answer, once there is one."""

    id: str
    dataset_id: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    question: dict[str, Any]
    declarations: int
    """The version of the declarations by which it is answered."""
    answers: list[Answered] | None = None
    cost: Spent
    remaining: float
    """What is left to whoever asks, now."""
    error: dict[str, Any] | None = None
    created_at: str


class Expected(Answer):
    """How accurate the answer to one selected thing would be."""

    select: dict[str, Any]
    scale: float
    plus_minus: float | None = None
    """How far an answer is from the truth, in at most 5 of 100 draws; null where it depends on the number of rows."""
    unit: Literal["rows", "value", "value squared", "share of rows"]


class Accuracy(Answer):
    """How accurate an answer would be, and what it would cost."""

    accuracy: list[Expected]
    cost: Spent
    remaining: float


class GrantRequest(Body):
    """What an analyst may spend of a dataset's budget, in all."""

    token_id: Id
    """The analyst's token."""
    epsilon: Loss | None = None
    rho: Loss | None = None
    """Instead of epsilon, if the budget is a rho."""

    @model_validator(mode="after")
    def _one_loss(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("exactly one of epsilon and rho must be given")
        return self


class Grant(Answer):
    """What an analyst may spend of a dataset's budget."""

    dataset_id: str
    dataset: str
    """The dataset's name."""
    token_id: str
    analyst: str
    """The token's name."""
    measure: Literal["pure", "zcdp"]
    total: float
    spent: float
    remaining: float
    created_at: str


class Grants(Answer):
    """Grants, newest first."""

    items: list[Grant]
