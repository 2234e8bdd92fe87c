"""The distributions: their wheels, and the client in a bare environment."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=patience(), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wheel_of(source: Path, folder: Path, package: Path) -> Path:
    """The wheel of a distribution, built from a copy of its files."""
    shutil.copytree(package, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    built = folder / f"{source.name}-wheel"
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", built)
    run(sys.executable, *build, source, folder=folder)
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and httpx with what that needs, copied from ours."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = wheel_of(folder / "client", folder, ROOT / "client")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", folder=folder)
    python = folder / "venv" / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    run(sys.executable, "-m", "zipfile", "-e", wheel, site, folder=folder)
    import httpx

    ours = Path(httpx.__file__).parents[1]
    for name in ("httpx", "httpcore", "h11", "anyio", "certifi", "idna", "sniffio", "typing_extensions.py"):
        if (ours / name).exists():
            (Path(site) / name).symlink_to(ours / name)
    return python


def test_the_wheel_imports_in_a_bare_environment_without_numpy(bare, tmp_path):
    script = (
        "import sys, antifaz_client, antifaz_client.client; antifaz_client.Client('http://x'); "
        "print(sorted({name.partition('.')[0] for name in sys.modules} "
        "& {'numpy', 'pandas', 'polars', 'networkx', 'pyarrow', 'antifaz', 'service', 'storage', 'stack'}))"
    )
    assert run(bare, "-c", script, folder=tmp_path).strip() == "[]"


def test_a_library_that_is_missing_is_named_with_its_extra(bare, tmp_path):
    script = (
        "from antifaz_client import conversions\n"
        "try: conversions.to_pandas('csv', b'')\n"
        "except ImportError as error: print(error)"
    )
    assert "antifaz-client[pandas]" in run(bare, "-c", script, folder=tmp_path)


def test_the_commands_work_without_the_service_and_verify_says_what_it_lacks(bare, tmp_path):
    script = "import sys; from antifaz_client.commands.main import main; sys.exit(main(sys.argv[1:]))"
    shown = run(bare, "-c", script, "completion", "bash", folder=tmp_path)
    assert "publish" in shown
    assert " up " not in shown
    lacking = subprocess.run(
        [bare, "-c", script, "verify", "bundle.zip"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert lacking.returncode != 0
    assert "antifaz-client[verify]" in lacking.stdout + lacking.stderr
    assert "Traceback" not in lacking.stderr


def test_the_verifiers_wheel_has_all_its_modules(tmp_path):
    wheel = wheel_of(tmp_path / "verifier", tmp_path, ROOT / "verifier")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".py")}
    assert packed == {file.relative_to(ROOT).as_posix() for file in (ROOT / "verifier").rglob("*.py")}
