"""Pages for auditors: the query over reports, charts of it, the trail of events, and budgets."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args
from urllib.parse import quote, urlencode

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from antifaz.answers import advantage, counts
from antifaz.policy.model import Waiver
from service.access.permissions import AUDITOR
from service.console.pages import needs, page_router, show
from service.console.snippets import same_as
from service.console.visit import visit_of
from service.report.attacks import QUESTION_WORDS

router = page_router()

_PER_PAGE = 50
MOST_CHARTED = 2000
_MOST_BUDGETS = 200

Text = Annotated[str, Query(max_length=200)]
Cursor = Annotated[str, Query(max_length=400)]

needs("page_audit", "list_reports")
needs("page_audit_charts", "list_reports")
needs("page_audit_chain", "verify_audit_events")
needs("page_audit_budgets", "get_budget")


_WAIVERS = sorted(get_args(Waiver.model_fields["rule"].annotation))


class Filters(BaseModel):
    """What an auditor asks for, in the order of the page; what is empty is no condition."""

    status: Text = ""
    method: Text = ""
    guarantee: Text = ""
    dataset: Text = ""
    dataset_id: Text = ""
    waiver: Text = ""
    question: Text = ""
    min_k: Text = ""
    max_k: Text = ""
    min_risk: Text = ""
    max_risk: Text = ""
    since: Text = ""
    until: Text = ""

    def chosen(self) -> dict[str, str]:
        """The filters that are not empty."""
        given = {name: getattr(self, name).strip() for name in Filters.model_fields}
        return {name: value for name, value in given.items() if value}


class Listed(Filters):
    """A page of the list of reports."""

    cursor: Cursor = ""


def _api_query(chosen: Mapping[str, str]) -> dict[str, str]:
    """The query for the API: a date becomes its first moment, or its last if it is an end."""
    times = {"since": "T00:00:00Z", "until": "T23:59:59Z"}
    return {
        name: value + times[name] if name in times and len(value) == 10 else value for name, value in chosen.items()
    }


@router.get("/audit", operation_id="page_audit")
async def audit(request: Request, filters: Annotated[Listed, Query()]) -> Response:
    """The query is the address: it can be saved, sent and repeated."""
    visit = visit_of(request)
    chosen = filters.chosen()
    page, methods, guarantees = await asyncio.gather(
        visit.get("/v1/reports", limit=_PER_PAGE, cursor=filters.cursor, **_api_query(chosen)),
        visit.get("/v1/methods"),
        visit.get("/v1/guarantees"),
    )
    query = urlencode(chosen)
    asked = urlencode({name: value for name, value in _api_query(chosen).items() if value})
    return show(
        request,
        "audit.html",
        reports=[_line(each) for each in page["items"]],
        next_cursor=page["next_cursor"],
        chosen=chosen,
        query=query,
        asked=asked,
        methods=sorted({each["name"] for each in methods["items"]}),
        models=sorted({each["name"] for each in guarantees["items"]}),
        waivers=_WAIVERS,
        same=same_as(request, ("GET", "/v1/reports" + (f"?{asked}" if asked else ""))),
    )


def _line(summary: Mapping[str, Any]) -> dict[str, Any]:
    """One report as a row of the table."""
    report = summary.get("report") or {}
    reasons = [each["rule"] for each in ((report.get("refusal") or {}).get("reasons") or [])]
    return {
        **{name: value for name, value in summary.items() if name != "report"},
        "dataset": (report.get("dataset") or {}).get("name"),
        "promised": summary.get("promised_risk"),
        "waivers": [each["rule"] for each in report.get("waivers") or []],
        "reasons": reasons,
    }


@router.get("/audit/charts", operation_id="page_audit_charts")
async def charts(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    visit = visit_of(request)
    chosen = filters.chosen()
    found, more = await visit.get_all("/v1/reports", MOST_CHARTED, **_api_query(chosen))
    return show(
        request,
        "audit_charts.html",
        count=len(found),
        more=more,
        query=urlencode(chosen),
        charts=[
            _bars("Reports by outcome", (each["status"] for each in found)),
            _bars("Reports by method", (each["method"] for each in found)),
            _bars("Requested guarantees", (name for each in found for name in each["guarantees"])),
            _bars("Reports by month", (each["created_at"][:7] for each in found), by_name=True),
            _bars("Promised risk", (_band(each["promised_risk"]) for each in found), by_name=True),
            *(_answered(question, title, found) for question, title in QUESTION_WORDS.items()),
        ],
        same=same_as(request, ("GET", "/v1/reports?format=csv")),
    )


def _answered(question: str, title: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How far above guessing the attacks on one question were."""
    given = [(each.get("answers") or {}).get(question) for each in found]
    gains = [advantage(answer) if answer is not None and counts(answer) else None for answer in given]
    bands = (("not measured" if gain is None else _band(max(gain, 0.0))) for gain in gains)
    return _bars(f"{title} Success above guessing", bands, by_name=True)


_BANDS = ((0.01, "0 up to 0.01"), (0.05, "0.01 up to 0.05"), (0.1, "0.05 up to 0.1"), (0.2, "0.1 up to 0.2"))


def _band(risk: float | None) -> str:
    if risk is None:
        return "not stated"
    return next((label for limit, label in _BANDS if risk <= limit), "above 0.2")


def _bars(title: str, values: Any, by_name: bool = False) -> dict[str, Any]:
    """Counts as bars: at most twelve, the rest combined."""
    counts = Counter(values)
    ordered: Sequence[tuple[str, int]] = sorted(counts.items()) if by_name else counts.most_common()
    shown = list(ordered[:12])
    rest = sum(count for _, count in ordered[12:])
    if rest:
        shown.append(("all others", rest))
    most = max((count for _, count in shown), default=1)
    return {"title": title, "bars": [{"name": n, "count": c, "share": c / most} for n, c in shown]}


@router.get("/audit/chain", operation_id="page_audit_chain")
async def chain(
    request: Request, actor: Text = "", action: Text = "", since: Text = "", cursor: Cursor = ""
) -> Response:
    visit = visit_of(request)
    chosen = {name: value for name, value in {"actor": actor, "action": action, "since": since}.items() if value}
    state, page = await asyncio.gather(
        visit.get("/v1/audit-events/verify"),
        visit.get("/v1/audit-events", limit=_PER_PAGE, cursor=cursor, **_api_query(chosen)),
    )
    return show(
        request,
        "audit_chain.html",
        state=state,
        events=page["items"],
        next_cursor=page["next_cursor"],
        chosen=chosen,
        query=urlencode(chosen),
        same=same_as(request, ("GET", "/v1/audit-events/verify"), ("GET", "/v1/audit-events?format=jsonl")),
    )


@router.get("/audit/budgets", operation_id="page_audit_budgets")
async def budgets(request: Request) -> Response:
    visit = visit_of(request)
    datasets, more = await visit.get_all("/v1/datasets", _MOST_BUDGETS)
    accounts = await asyncio.gather(*(visit.try_get(f"/v1/datasets/{quote(each['id'])}/budget") for each in datasets))
    kept = [
        {"dataset": dataset, "account": account}
        for dataset, account in zip(datasets, accounts, strict=True)
        if account is not None and (account["epsilon"] is not None or account["entries"])
    ]
    same = same_as(request, ("GET", "/v1/datasets/{id}/budget"))
    return show(request, "audit_budgets.html", accounts=kept, more=more, same=same, blind=visit.role == AUDITOR)
