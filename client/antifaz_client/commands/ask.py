"""Ask a question about a table under differential privacy, or what it would cost and how accurate it would be.

    antifaz ask DATASET --count --mean age --where "age >= 18" --group-by sex --epsilon 0.1 --accuracy

Without --accuracy the question is charged and answered. The same question again is free, with the same answer.
"""

import argparse
from typing import Any

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, Misused, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its rows and its cost."""
    parser.add_argument("dataset", nargs="?", help="id of the dataset; without it, list the datasets you may ask about")
    parser.add_argument("--count", action="store_true", help="number of rows")
    for name in ("sum", "mean", "variance"):
        parser.add_argument(f"--{name}", metavar="COLUMN", action="append", default=[])
    parser.add_argument("--quantile", metavar="COLUMN:AT", action="append", default=[], help="such as age:0.5")
    parser.add_argument("--histogram", metavar="COLUMN:EDGES", action="append", default=[], help="such as age:0,18,65")
    parser.add_argument("--where", metavar="CONDITION", action="append", default=[], help="such as 'age >= 18'")
    parser.add_argument("--group-by", metavar="COLUMN", action="append", default=[])
    parser.add_argument(
        "--threshold", action="store_true", help="also group by undeclared values, if their groups are large enough"
    )
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--rho", type=float, help="instead of --epsilon, if the dataset's budget is in rho")
    parser.add_argument("--delta", type=float, help="required with --threshold")
    parser.add_argument("--accuracy", action="store_true", help="only print the expected accuracy; nothing is charged")
    parser.add_argument("--rows", type=int, help="with --accuracy: the number of rows to assume")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    return run_command(_run, arguments)


def _run(client: Client, arguments: argparse.Namespace) -> int:
    if arguments.dataset is None:
        found = client.grants()
        if arguments.json:
            print_json(found)
        else:
            heads = ("dataset_id", "dataset", "analyst", "total", "spent", "remaining")
            print_columns(heads, ([grant[head] for head in heads] for grant in found))
        return DONE
    select, question = _select(arguments), _question(arguments)
    if arguments.accuracy:
        _print_accuracy(client.accuracy(arguments.dataset, select, arguments.rows, **question), arguments.json)
        return DONE
    answer = client.question(arguments.dataset, select, **question)
    if arguments.json:
        print_json(answer.document)
        return DONE
    names = list(dict.fromkeys(name for row in answer.rows for name in row))
    print_columns(names, ([row.get(name) for name in names] for row in answer.rows))
    say(f"{answer.remaining:g} left")
    return DONE


def _select(arguments: argparse.Namespace) -> list[Any]:
    chosen: list[Any] = ["count"] if arguments.count else []
    for name in ("sum", "mean", "variance"):
        chosen += [{name: column} for column in getattr(arguments, name)]
    for text in arguments.quantile:
        column, at = _two(text, "--quantile")
        chosen.append({"quantile": {"column": column, "at": float(at)}})
    for text in arguments.histogram:
        column, edges = _two(text, "--histogram")
        chosen.append({"histogram": {"column": column, "edges": [_edge(edge) for edge in edges.split(",")]}})
    if not chosen:
        raise Misused("choose what to ask: --count, --sum, --mean, --variance, --quantile or --histogram")
    return chosen


def _two(text: str, option: str) -> tuple[str, str]:
    column, separator, rest = text.rpartition(":")
    if not separator:
        raise Misused(f"{option} takes COLUMN:SETTING")
    return column, rest


def _edge(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _question(arguments: argparse.Namespace) -> dict[str, Any]:
    if (arguments.epsilon is None) == (arguments.rho is None):
        raise Misused("give --epsilon or --rho")
    return {
        "where": arguments.where,
        "group_by": arguments.group_by,
        "keys": "threshold" if arguments.threshold else None,
        "epsilon": arguments.epsilon,
        "rho": arguments.rho,
        "delta": arguments.delta,
    }


def _print_accuracy(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_columns(
        ("select", "plus_minus", "unit", "scale"),
        ((str(each["select"]), each["plus_minus"], each["unit"], each["scale"]) for each in found["accuracy"]),
    )
    cost = ", ".join(f"{name} {loss:g}" for name, loss in found["cost"].items() if loss)
    say(f"it would cost {cost}; {found['remaining']:g} left; nothing was charged")
