"""The image and the compose file, linted as far as possible without a container engine.

The rules of the image are those of hadolint that concern it, under hadolint's numbers.
"""

import fnmatch
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]


class Step(NamedTuple):
    """One instruction of a Dockerfile."""

    word: str
    rest: str


def steps_of(text: str) -> list[Step]:
    """The instructions, with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines()]


OF_THE_SYSTEM = {"libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0", "fonts-dejavu-core"}
"""Debian packages that the image installs without a version, as the Dockerfile explains; all others need one."""


def has_versions(run: str) -> bool:
    """Whether every system package that a command installs is one of these or has a full version."""
    installed = re.findall(r"apt-get install ([^&|;]+)", run)
    named = [word for words in installed for word in words.split() if word[0] not in "-\\"]
    return all(word in OF_THE_SYSTEM or re.fullmatch(r"[^=*]+=[^=*]+", word) for word in named)


def has_digest(image: str) -> bool:
    """Whether an image is named by what it holds: someone who moves its tag does not move us."""
    return re.fullmatch(r"[^@\s]+@sha256:[0-9a-f]{64}", image) is not None


def faults_of(text: str) -> list[str]:
    """The rules that a Dockerfile breaks."""
    steps = steps_of(text)
    last = steps[max(i for i, step in enumerate(steps) if step.word == "FROM") :]
    runs = [step.rest for step in steps if step.word == "RUN"]
    installs = [command for run in runs for command in run.split("&&") if "pip install" in command]
    images = [step.rest.split()[0] for step in steps if step.word == "FROM"]
    stages = [step.rest.split()[-1] for step in steps if step.word == "FROM" and " AS " in step.rest]
    rules = {
        "DL3000 WORKDIR is absolute": all(s.rest.startswith("/") for s in steps if s.word == "WORKDIR"),
        "DL3002 the last user is not root": [s.rest for s in last if s.word == "USER"][-1:] not in ([], ["root"]),
        "DL3003 WORKDIR instead of cd": not any(re.search(r"(^|[;&|]\s*)cd\s", run) for run in runs),
        "DL3004 no sudo": not any("sudo " in run for run in runs),
        "DL3006 images have a tag": all(":" in image.partition("@")[0] or image in stages for image in images),
        "DL3007 no latest": not any(image.partition("@")[0].endswith(":latest") for image in images),
        "images have a digest": all(has_digest(image) or image in stages for image in images),
        "DL3008 packages of the system have versions": all(map(has_versions, runs)),
        "DL3013 packages have hashes": all("--require-hashes" in c or "--no-index" in c for c in installs),
        "DL3020 COPY instead of ADD": not any(s.word == "ADD" for s in steps),
        "DL3022 COPY --from names a stage": all(m in stages for s in steps if s.word == "COPY"
                                                for m in re.findall(r"--from=(\S+)", s.rest)),
        "DL3025 CMD and ENTRYPOINT are lists": all(isinstance(json.loads(s.rest), list) for s in steps
                                                   if s.word in ("CMD", "ENTRYPOINT")),
        "DL3042 pip keeps no cache": any("PIP_NO_CACHE_DIR=1" in s.rest for s in steps if s.word == "ENV"),
        "DL4003 one CMD": sum(s.word == "CMD" for s in last) == 1,
        "DL4004 one ENTRYPOINT": sum(s.word == "ENTRYPOINT" for s in last) == 1,
        "DL4006 no pipe without pipefail": not any(re.search(r"[^|]\|[^|]", run) for run in runs),
    }  # fmt: skip
    return [rule for rule, held in rules.items() if not held]


IMAGE = (ROOT / "Dockerfile").read_text()
BASE = steps_of(IMAGE)[0].rest.split()[0]


def test_the_image_keeps_the_rules() -> None:
    assert faults_of(IMAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("WORKDIR /build", "WORKDIR build", "DL3000"),
        ("USER antifaz", "USER root", "DL3002"),
        ("RUN python -m workers.process.warm", "RUN cd /tmp && python -m workers.process.warm", "DL3003"),
        ("RUN python -m workers.process.warm", "RUN sudo python -m workers.process.warm", "DL3004"),
        (f"FROM {BASE} AS", f"FROM python@{BASE.partition('@')[2]} AS", "DL3006"),
        (f"FROM {BASE} AS", f"FROM python:latest@{BASE.partition('@')[2]} AS", "DL3007"),
        (f"FROM {BASE} AS", f"FROM {BASE.partition('@')[0]} AS", "images"),
        (f"FROM {BASE} AS", f"FROM {BASE[:-1]} AS", "images"),
        ("RUN python -m venv", "RUN apt-get install curl && python -m venv", "DL3008"),
        ("pip install --require-hashes -r bootstrap.lock", "pip install uv", "DL3013"),
        ("COPY stack stack", "ADD stack stack", "DL3020"),
        ("COPY --from=build", "COPY --from=builder", "DL3022"),
        ("PIP_NO_CACHE_DIR=1", "PIP_QUIET=1", "DL3042"),
        ("EXPOSE 8000", 'CMD ["true"]', "DL4003"),
        ("RUN python -m workers.process.warm", "RUN python -m workers.process.warm | cat", "DL4006"),
    ],
)
def test_each_rule_is_noticed_when_it_is_broken(old: str, new: str, rule: str) -> None:
    assert old in IMAGE
    assert [fault.split()[0] for fault in faults_of(IMAGE.replace(old, new, 1))] == [rule]


def test_every_stage_begins_with_the_same_bytes() -> None:
    assert {step.rest.split()[0] for step in steps_of(IMAGE) if step.word == "FROM"} == {BASE}


def test_installers_trust_the_certificates_of_the_machine_as_the_makefile_does() -> None:
    assert "UV_SYSTEM_CERTS := 1" in (ROOT / "Makefile").read_text()
    assert any("UV_SYSTEM_CERTS=1" in step.rest for step in steps_of(IMAGE) if step.word == "ENV")


def test_whatever_the_image_copies_exists_and_is_sent_to_the_builder() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    sent = [pattern.removeprefix("!") for pattern in ignored if pattern.startswith("!")]
    for step in steps_of(IMAGE):
        if step.word == "COPY" and "--from" not in step.rest:
            *sources, _ = [word for word in step.rest.split() if not word.startswith("--")]
            for source in sources:
                assert (ROOT / source).exists(), source
                assert any(fnmatch.fnmatch(source, pattern) for pattern in sent), source


def test_every_package_of_ours_is_in_the_image() -> None:
    copied = {step.rest.split()[0] for step in steps_of(IMAGE) if step.word == "COPY"}
    packaged = re.search(r"include = \[(.*?)\]", (ROOT / "pyproject.toml").read_text())
    assert packaged is not None
    assert {name.strip(' "*') for name in packaged[1].split(",")} <= copied


# --- the compose file ------------------------------------------------------------------------------------------------

CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
KNOWN = {
    "build", "cap_add", "cap_drop", "command", "depends_on", "environment", "healthcheck", "image", "init", "networks",
    "ports", "profiles", "read_only", "restart", "secrets", "security_opt", "shm_size", "stop_grace_period", "tmpfs",
    "user", "volumes",
}  # fmt: skip


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))


def faults_in(compose: dict[str, Any]) -> list[str]:
    """Errors that `docker compose config` would report: undeclared names and unknown keywords."""
    return [
        fault for name, service in compose["services"].items() for fault in _faults_of_service(name, service, compose)
    ]


def _faults_of_service(name: str, service: dict[str, Any], compose: dict[str, Any]) -> list[str]:
    faults = [f"{name}: unknown field {field}" for field in sorted(set(service) - KNOWN)]
    waits = service.get("depends_on", {})
    faults += [f"{name}: waits for {other}" for other in waits if other not in compose["services"]]
    faults += [f"{name}: unknown condition" for wait in waits.values() if wait["condition"] not in CONDITIONS]
    faults += [f"{name}: {other} has no health check" for other, wait in waits.items()
               if wait["condition"] == "service_healthy"
               and other in compose["services"] and not _reports_health(compose["services"][other])]  # fmt: skip
    faults += [f"{name}: network {net}" for net in service.get("networks", []) if net not in compose["networks"]]
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        known = source in compose["volumes"] or (source.startswith("./") and (ROOT / source).exists())
        faults += [] if known else [f"{name}: volume {source}"]
    for secret in service.get("secrets", []):
        source = secret if isinstance(secret, str) else secret["source"]
        faults += [] if source in compose["secrets"] else [f"{name}: secret {source}"]
    faults += [] if "image" in service or "build" in service else [f"{name}: no image"]
    # An image that is built here has no digest before it is built; every other one is named by its own.
    named = "build" in service or has_digest(service.get("image", ""))
    faults += [] if named else [f"{name}: an image without a digest"]
    # A single dollar would be replaced by compose before the shell sees it.
    faults += [f"{name}: a dollar that compose would replace"] if _has_single_dollar(service) else []
    return faults


def _reports_health(service: dict[str, Any]) -> bool:
    """By its own check, or by that of our image unless it is disabled."""
    return "test" in service.get("healthcheck", {}) or ("build" in service and "healthcheck" not in service)


def _has_single_dollar(service: dict[str, Any]) -> bool:
    return re.search(r"(?<!\$)\$(?![${])", json.dumps(service).replace("$$", "")) is not None


def test_the_compose_file_refers_only_to_what_it_declares(compose: dict[str, Any]) -> None:
    assert faults_in(compose) == []


@pytest.mark.parametrize(
    ("service", "change"),
    [
        ("api", {"networks": ["nowhere"]}),
        ("api", {"secrets": ["nothing"]}),
        ("api", {"depends_on": {"nobody": {"condition": "service_started"}}}),
        ("api", {"depends_on": {"redis": {"condition": "service_ready"}}}),
        ("api", {"depends_on": {"migrate": {"condition": "service_healthy"}}}),
        ("api", {"enviroment": {}}),
        ("redis", {"image": "redis:7.2-alpine"}),
        ("redis", {"image": "redis:7.2-alpine@sha256:29e8589c"}),
        ("redis", {"volumes": ["missing:/data"]}),
        ("redis", {"command": ["sh", "-c", "echo $HOME"]}),
    ],
)
def test_a_mistake_in_the_compose_file_is_noticed(
    compose: dict[str, Any], service: str, change: dict[str, Any]
) -> None:
    spoiled = {**compose, "services": {**compose["services"], service: {**compose["services"][service], **change}}}
    assert len(faults_in(spoiled)) == 1


CONSUMERS = ("worker-small", "worker-fast", "worker-large", "sweeper", "courier")


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_consumer_that_does_nothing_ends_with_its_container_which_is_restarted(
    compose: dict[str, Any], name: str
) -> None:
    service = compose["services"][name]
    assert service["command"][:4] == ["python", "-m", "stack.children.keeper", "python"]
    assert service["restart"] == "unless-stopped"
    assert service["environment"]["ANTIFAZ_BEAT_FILE"] in service["healthcheck"]["test"][1]


def test_every_other_process_of_ours_is_checked_by_its_answers(compose: dict[str, Any]) -> None:
    """The image's own check asks for readiness; whatever is built from it and is no consumer keeps it, or ends."""
    ours = {name for name, service in compose["services"].items() if "build" in service}
    assert ours - set(CONSUMERS) == {"api", "migrate"}
    assert "healthcheck" not in compose["services"]["api"]
