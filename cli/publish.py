"""Publish a file: upload it with its policy, follow the job, save the release and its report."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import httpx
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from cli.client import Refused, add_connection_arguments, checked, connect, describe_problem, report_errors
from storage.job_protocol import TERMINAL

_BOUNDARY = "antifaz-part-boundary-8f3c1e"
_MAIN_PARTS = ("table", "graph", "nodes")
_PIECE = 1 << 18


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("file", type=Path, help="the data: a table, a graph or a temporal graph")
    parser.add_argument("policy", type=Path, help="the policy, as JSON")
    parser.add_argument("--name", help="name of the dataset (default: the file's name without its ending)")
    parser.add_argument("--nodes", type=Path, help="for graphs: a table of nodes and their attributes")
    parser.add_argument("--directed", action="store_true", help="for graphs: edges have a direction")
    parser.add_argument("--window", help="for temporal graphs: hour, day, week, month, year, snapshot, or seconds")
    parser.add_argument("--empty-windows", choices=("drop", "keep"), help="for temporal graphs: windows without edges")
    parser.add_argument("--columns", help="for temporal graphs: the columns, such as source,target,weight,time")
    parser.add_argument("--format", help="format of the file, where its name does not say")
    parser.add_argument("--budget", type=float, help="the epsilon that differentially private releases may cost")
    parser.add_argument("--to", type=Path, default=Path("."), help="folder for the release (default: here)")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """0 when a release was published and saved, 2 when it was refused, 1 when something failed."""
    return report_errors(publish, arguments)


def publish(arguments: argparse.Namespace) -> int:
    """Upload, follow, save."""
    policy = _policy(arguments.policy)
    if not arguments.file.is_file():
        raise Refused(f"there is no file {arguments.file}")
    console = Console(stderr=True)
    with connect(arguments) as client:
        job = _upload(client, arguments, policy, console)
        job = _follow(client, job["id"], console)
        if job["status"] == "released":
            return _save(client, job, arguments.to, console)
        return _explain(job, console)


def _policy(path: Path) -> dict[str, Any]:
    try:
        policy = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise Refused(f"there is no file {path}") from None
    except ValueError:
        raise Refused(f"{path} is not JSON") from None
    if not isinstance(policy, dict):
        raise Refused(f"{path} is not a policy")
    return policy


def _upload(client: httpx.Client, arguments: argparse.Namespace, policy: dict[str, Any], console: Console) -> Any:
    name = arguments.name or arguments.file.name.split(".")[0]
    metadata: dict[str, Any] = {"name": name, "kind": policy.get("kind", "table")}
    if arguments.directed:
        metadata["directed"] = True
    metadata |= _about_time(arguments)
    if arguments.format:
        metadata["format"] = arguments.format
    if arguments.budget is not None:
        metadata["budget"] = {"epsilon": arguments.budget}
    columns = [TextColumn("uploading"), BarColumn(), DownloadColumn(), TimeElapsedColumn()]
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("upload", total=arguments.file.stat().st_size)
        response = client.post(
            "/v1/datasets",
            content=_multipart(metadata, policy, arguments, lambda done: bar.advance(task, done)),
            headers={"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"},
        )
    return checked(response)["job"]


def _about_time(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is said of the times of a temporal graph."""
    about: dict[str, Any] = {}
    if arguments.window:
        about["window"] = {"seconds": int(arguments.window)} if arguments.window.isdigit() else arguments.window
    if arguments.empty_windows:
        about["empty_windows"] = arguments.empty_windows
    if arguments.columns:
        about["columns"] = [name.strip() for name in arguments.columns.split(",")]
    return about


def _multipart(
    metadata: dict[str, Any], policy: dict[str, Any], arguments: argparse.Namespace, advance: Any
) -> Iterator[bytes]:
    """The body, part by part and piece by piece: memory stays bounded whatever the file's size."""
    yield _head("metadata", "application/json") + json.dumps(metadata).encode()
    yield _head("policy", "application/json") + json.dumps(policy).encode()
    if arguments.nodes:
        yield _head("nodes", "application/octet-stream", arguments.nodes.suffix)
        with arguments.nodes.open("rb") as nodes:
            yield from _pieces(nodes)
    yield _head("file", "application/octet-stream", "".join(arguments.file.suffixes[-2:]))
    with arguments.file.open("rb") as file:
        for piece in _pieces(file):
            yield piece
            advance(len(piece))
    yield f"\r\n--{_BOUNDARY}--\r\n".encode()


def _head(name: str, kind: str, suffix: str | None = None) -> bytes:
    # The file's own name stays here: only its ending says something about the format.
    file_name = "" if suffix is None else f'; filename="upload{suffix}"'
    disposition = f'Content-Disposition: form-data; name="{name}"{file_name}'
    return f"\r\n--{_BOUNDARY}\r\n{disposition}\r\nContent-Type: {kind}\r\n\r\n".encode()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


def _follow(client: httpx.Client, job_id: str, console: Console) -> Any:
    columns = [
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("queued", total=1.0)
        while True:
            response = client.get(f"/v1/jobs/{job_id}", params={"wait": 10})
            if response.status_code in (429, 503):
                time.sleep(float(response.headers.get("Retry-After", "1")))
                continue
            job = checked(response)
            bar.update(task, completed=job["progress"], description=job["stage"] or job["status"])
            if job["status"] in TERMINAL:
                bar.update(task, completed=1.0, description=job["status"])
                return job


def _save(client: httpx.Client, job: Any, folder: Path, console: Console) -> int:
    release = checked(client.get(f"/v1/releases/{job['release_id']}"))
    folder.mkdir(parents=True, exist_ok=True)
    for artifact in release["artifacts"]:
        target = folder / _file_name(artifact["format"], artifact["part"])
        _download(client, release["id"], artifact, target)
        console.print(f"saved {target} ({artifact['bytes']:,} bytes)")
    report = folder / "report.json"
    report.write_text(json.dumps(checked(client.get(f"/v1/jobs/{job['id']}/report")), indent=2), encoding="utf-8")
    console.print(f"saved {report}")
    for guarantee in release["guarantees"]:
        achieved = ", ".join(f"{key} = {value}" for key, value in guarantee["achieved"].items())
        console.print(f"verified {guarantee['model']}: {achieved}")
    print(release["id"])
    return 0


def _file_name(format_: str, part: str) -> str:
    """The name under which an artifact is saved; graphs that were drawn from a generalized one keep their part."""
    # Loaded only when there is something to save: the readers and writers of all formats come with it.
    from formats.catalogue import graph_formats, table_formats

    if format_ in table_formats():
        return f"{part}.{table_formats()[format_].suffix}"
    # An edge list has the ending of a table, so its name says what it is.
    main, ending = ("edges", "edges.csv") if format_ == "edgelist" else ("graph", graph_formats()[format_].suffix)
    if part in _MAIN_PARTS:
        return f"{main}.{ending.rpartition('.')[2]}"
    return f"{part}.{ending}"


def _download(client: httpx.Client, release_id: str, artifact: Any, target: Path) -> None:
    wanted = {"format": artifact["format"], "part": artifact["part"]}
    with client.stream("GET", f"/v1/releases/{release_id}/data", params=wanted) as response:
        if not response.is_success:
            response.read()
            raise Refused(describe_problem(response))
        with target.open("wb") as file:
            for piece in response.iter_bytes():
                file.write(piece)


def _explain(job: Any, console: Console) -> int:
    if job["status"] == "refused":
        for reason in job["refusal"]["reasons"]:
            console.print("refused: " + ", ".join(f"{key} {value}" for key, value in reason.items()))
        if nearest := job["refusal"].get("nearest"):
            console.print("what would work: " + ", ".join(f"{key} = {value}" for key, value in nearest.items()))
        return 2
    problem = job["error"] or {}
    print(f"antifaz: {job['status']}: {problem.get('detail', '')}", file=sys.stderr)
    return 1
