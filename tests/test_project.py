"""The project as a whole: rules for the lock files, the containers and every tracked file."""

import ast
import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from handbook.rooms import folder_of, packages
from stack.children import commands
from storage.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = (
    *("requirements.lock", "requirements.production.lock", "bootstrap.lock"),
    *("tests/portals/validators.lock", "tests/portals/ckan.lock"),
)
# Spelled in pieces, so that this file passes its own test.
FORBIDDEN = {
    "the address of a package index": re.compile(
        "|".join(
            [
                "py" + r"pi\.org",
                "python" + r"hosted\.org",
                "--(extra-)?" + "index-url",
                "--find" + "-links",
                "file:" + r"///\S*(simple|wheel|py" + "pi)",
                r"https?://[^\s/]+/" + r"simple\b",
            ]
        )
    ),
    "a path of one machine": re.compile("|".join(["/ro" + "ot/", "/home/" + r"\w", "/Users/" + r"\w", "/wo" + "rk/"])),
    "a credential": re.compile(
        "|".join(["BEGIN [A-Z ]*PRIVATE" + " KEY", "AKIA" + "[0-9A-Z]{16}", "ghp" + "_[A-Za-z0-9]{36}"])
    ),
}


def project_files() -> list[Path]:
    """Every file that is or would be committed."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    names = listing.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def requirements(lock: str) -> dict[str, list[str]]:
    """Each pinned requirement of a lock file with its hashes."""
    found: dict[str, list[str]] = {}
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+--hash=", line.strip())
            found[requirement] = hashes
    return found


def names(lock: str) -> set[str]:
    return {canonicalize_name(Requirement(each).name) for each in requirements(lock)}


def declared(extra: str | None = None) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if extra:
        return {canonicalize_name(Requirement(each).name) for each in project["optional-dependencies"][extra]}
    # The client and the verifier are distributions of this repository, installed from their folders; what they need is
    # locked too.
    own = [tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"] for name in ("client", "verifier")]
    listed = [*project["dependencies"], *project["optional-dependencies"]["service"]]
    named = {
        canonicalize_name(Requirement(each).name)
        for each in [*listed, *own[0]["dependencies"], *own[1]["dependencies"]]
    }
    return named - {each["name"] for each in own}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    offenders = []
    for file in project_files():
        text = file.read_bytes().decode("utf-8", errors="ignore")
        offenders += [f"{file.relative_to(ROOT)}: {match.group()}" for match in FORBIDDEN[what].finditer(text)]
    assert offenders == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_pinned_and_hashed(lock: str) -> None:
    pinned = requirements(lock)
    assert pinned
    for requirement, hashes in pinned.items():
        assert [each.operator for each in Requirement(requirement).specifier] == ["=="], requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), requirement


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_nothing_but_requirements_hashes_and_comments(lock: str) -> None:
    for line in (ROOT / lock).read_text().splitlines():
        assert re.match(r"(#|    --hash=sha256:|[a-z0-9])", line), line
        assert "@" not in line


def test_packages_of_npm_are_pinned_by_version_and_digest_and_name_no_registry() -> None:
    folder = ROOT / "tests" / "portals"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        assert "resolved" not in package
        assert not name or package["integrity"].startswith("sha512-"), name


def test_the_full_lock_covers_every_declared_dependency() -> None:
    wanted = declared() | declared("embedded") | declared("dev")
    assert wanted <= names("requirements.lock")


def test_production_has_every_dependency_and_neither_tools_nor_embedded_servers() -> None:
    locked = names("requirements.production.lock")
    assert declared() <= locked
    assert not locked & (declared("embedded") | declared("dev"))


def test_production_runs_the_versions_that_were_tested() -> None:
    """By name and version only: environment markers may differ, as tools may need a requirement everywhere."""

    def pinned(lock: str) -> set[str]:
        return {each.partition(" ;")[0] for each in requirements(lock)}

    assert pinned("requirements.production.lock") <= pinned("requirements.lock")


def test_uv_and_the_build_backend_are_pinned_for_the_bootstrap() -> None:
    assert names("bootstrap.lock") == {"uv", "setuptools"}


def test_the_engine_draws_only_from_the_generator_it_is_given() -> None:
    """Types such as numpy.random.Generator may be named; nothing in the module may be called."""
    offenders = []
    for file in sorted((ROOT / "antifaz").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and re.match(r"(np|numpy)\.random\.", ast.unparse(node.func)):
                offenders.append(f"{file.relative_to(ROOT)}:{node.lineno}")
            if isinstance(node, ast.ImportFrom) and node.module == "numpy.random":
                drawn = {alias.name for alias in node.names} - {"Generator", "BitGenerator"}
                offenders += [f"{file.relative_to(ROOT)}:{node.lineno}"] if drawn else []
    assert offenders == []


def test_the_engines_verbs_are_functions_and_no_modules() -> None:
    """`antifaz.protect` and `antifaz.assess` are functions of the library: a module of that name would hide them."""
    gone = re.compile(r"\bantifaz\.(protect|assess) import|\bfrom antifaz import [^\n]*\b(protect|assess)\b")
    offenders = [
        f"{file.relative_to(ROOT)}: {match.group()} (antifaz.protection, antifaz.assessment)"
        for file in project_files()
        if file.suffix == ".py"
        for match in gone.finditer(file.read_text(encoding="utf-8"))
    ]
    assert offenders == []
    assert importlib.util.find_spec("antifaz.protect") is None


_USED_OTHERWISE = re.compile(
    r"^(tests|bench|migrations)/"
    r"|^antifaz/(\w+/(methods|guarantees|risk|utility|attacks)|hierarchies|kinds)/\w+\.py:\d+: unused class"
    r"|^formats/\w+/\w+\.py:\d+: unused variable '[A-Z_]+'"
    r"|^api_schemas/data/cards\.py:\d+: unused variable"
)
"""Uses of the product's names, modules found by walking a package (parts, kinds and formats), and cards, which are
passed on whole."""

LONGEST = 400


def test_no_module_is_longer_than_one_can_read() -> None:
    """Kernels are left out: functions that are compiled together belong in one file."""
    places = [path.relative_to(ROOT) for path in project_files() if path.suffix == ".py"]
    read = [place for place in places if place.parts[:2] != ("antifaz", "kernels")]
    lines = {place.as_posix(): len((ROOT / place).read_text(encoding="utf-8").splitlines()) for place in read}
    assert len(lines) > 1000
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}


@pytest.mark.long  # It reads all of the code; `make check` runs it every time.
def test_no_name_is_dead() -> None:
    """Names that no product code, test or benchmark uses; pyproject.toml lists those that libraries need."""
    folders = sorted({folder_of(name).relative_to(ROOT).parts[0] for name in packages()} | {"bench", "tests"})
    command = [sys.executable, "-m", "vulture", *folders]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not found.stderr
    assert [line for line in found.stdout.splitlines() if not (_USED_OTHERWISE.search(line) or _is_quoted(line))] == []


def _is_quoted(line: str) -> bool:
    """Whether a name appears in a quoted type of its own file, which vulture does not read."""
    file, name = re.match(r"([^:]+):.*'(\w+)'", line).groups()
    return re.search(rf'[:>\[] ?"[^"\n]*\b{name}\b', (ROOT / file).read_text(encoding="utf-8")) is not None


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert {
        "run",
        "test",
        "test-long",
        "test-portals",
        "check",
        "lock",
        "bench",
        "format",
        "clean",
        "openapi",
        "docs",
    } <= targets


def test_ci_runs_the_checks_and_the_tests_and_stops_at_the_first_failure() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text().splitlines()
    assert "set -euo pipefail" in lines
    assert lines.index("make check") < lines.index("make test")


def test_the_hook_of_commits_checks_what_is_committed(tmp_path: Path) -> None:
    hook = ROOT / ".githooks" / "pre-commit"
    assert os.access(hook, os.X_OK)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "ruff").symlink_to(Path(sys.executable).parent / "ruff")

    def committed(text: str) -> int:
        (tmp_path / "module.py").write_text(text)
        subprocess.run(["git", "add", "module.py"], cwd=tmp_path, check=True)
        return subprocess.run([hook], cwd=tmp_path, capture_output=True, check=False).returncode

    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    assert committed('NAME = "well laid out"\n') == 0
    assert committed("import os\n") != 0
    assert committed("NAME  =  1\n") != 0


def test_the_examples_fit_their_policies() -> None:
    with (ROOT / "examples" / "patients.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    policy = json.loads((ROOT / "examples" / "patients.policy.json").read_text())
    assert len(rows) == 60
    assert set(rows[0]) == set(policy["attributes"])
    assert json.loads((ROOT / "examples" / "friends.policy.json").read_text())["kind"] == "graph"


# --- containers ---


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """docker-compose.yml, with its anchors resolved."""
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))


def ours(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: service for name, service in compose["services"].items() if service["image"].startswith("antifaz:")}


def modules(words: list[str]) -> list[str]:
    """The modules that a command line names."""
    named = [words[place + 1] for place, word in enumerate(words) if word in ("-m", "-A")]
    return named + [word.split(":")[0] for word in words if re.fullmatch(r"[a-z_.]+:[a-z_]+", word)]


def image_command() -> list[str]:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    found = re.findall(r"^CMD (\[.*\])$", text, flags=re.MULTILINE)
    return list(json.loads(found[-1]))


def test_the_production_services_are_there(compose: dict[str, Any]) -> None:
    wanted = {"postgres", "keyring", "redis", "migrate", "api", "sweeper", "tls"}
    wanted |= {"worker-small", "worker-large", "worker-fast", "courier"}
    assert set(compose["services"]) == wanted


def test_every_command_names_modules_that_exist(compose: dict[str, Any]) -> None:
    lines = [service.get("command", image_command()) for service in ours(compose).values()]
    for words in lines:
        assert modules(words)
        for module in modules(words):
            assert importlib.util.find_spec(module), module


def test_containers_run_what_antifaz_up_runs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["worker-small"]["command"][4:] == commands.worker(["small"], 4)[1:]
    assert services["worker-fast"]["command"][4:] == commands.worker(["fast"], 1)[1:]
    assert services["worker-large"]["command"][4:] == commands.worker(["large"], 1)[1:]
    assert services["sweeper"]["command"][4:] == commands.sweeper()[1:]
    assert services["migrate"]["command"][1:] == commands.migrate()[1:]
    assert image_command()[1:] == commands.api("0.0.0.0", 8000)[1:]


def variables(service: dict[str, Any]) -> set[str]:
    targets = {each["target"] for each in service.get("secrets", []) if isinstance(each, dict)}
    return {name for name in targets | set(service.get("environment", {})) if name.startswith("ANTIFAZ_")}


def test_every_variable_is_a_setting(compose: dict[str, Any]) -> None:
    known = {f"ANTIFAZ_{name.upper()}" for name in Settings.model_fields}
    image = set(re.findall(r"\b(ANTIFAZ_[A-Z_]+)=", (ROOT / "Dockerfile").read_text()))
    given = image.union(*(variables(service) for service in ours(compose).values()))
    assert given
    assert given <= known


def test_only_workers_hold_the_key_that_opens_originals(compose: dict[str, Any]) -> None:
    holders = {name for name, service in compose["services"].items() if "worker.key" in json.dumps(service)}
    assert holders == {"worker-small", "worker-large", "worker-fast"}
    logins = {
        name: {each["source"].split("_")[0] for each in service["secrets"] if str(each["source"]).endswith("_url")}
        for name, service in ours(compose).items()
        for service in [{"secrets": [each for each in service["secrets"] if isinstance(each, dict)]}]
    }
    assert logins["api"] == {"api", "broker"}
    assert logins["migrate"] == {"owner"}
    assert logins["worker-small"] == logins["sweeper"] == {"work", "broker"}


def test_only_the_api_holds_the_key_of_tokens(compose: dict[str, Any]) -> None:
    holders = {name for name, service in compose["services"].items() if "token.key" in json.dumps(service)}
    assert holders == {"api"}


def test_the_signer_of_audit_heads_holds_the_key_and_no_worker_does(compose: dict[str, Any]) -> None:
    holders = {name for name, service in compose["services"].items() if "audit.key" in json.dumps(service)}
    assert holders == {"api", "sweeper"}


def test_every_service_is_hardened(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert "privileged" not in service, name


def test_every_secret_is_declared_and_comes_from_a_file_that_git_ignores(compose: dict[str, Any]) -> None:
    used = {
        each if isinstance(each, str) else each["source"]
        for service in compose["services"].values()
        for each in service.get("secrets", [])
    }
    assert used == set(compose["secrets"])
    assert all(each["file"].startswith("deploy/secrets/") for each in compose["secrets"].values())
    assert "secrets/" in (ROOT / "deploy" / ".gitignore").read_text()


def test_redis_keeps_what_it_is_told_and_asks_for_a_password(compose: dict[str, Any]) -> None:
    script = compose["services"]["redis"]["command"][-1]
    for line in ("appendonly yes", "maxmemory-policy noeviction", "requirepass"):
        assert line in script


def test_only_the_api_is_reachable_from_outside(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["api", "tls"]
    assert compose["networks"]["inside"] == {"internal": True}


def test_the_image_is_built_from_hashes_and_does_not_run_as_root() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert text.count("--require-hashes") == 2
    assert "requirements.lock" not in text
    assert re.findall(r"^USER (\w+)$", text, flags=re.MULTILINE) == ["antifaz"]
    assert "HEALTHCHECK" in text
    assert "workers.process.warm" in text
