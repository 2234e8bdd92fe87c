"""The distribution: its wheel in a bare environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and httpx with what that needs, copied from ours."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md"):
        (source / name).write_bytes((ROOT / "client" / name).read_bytes())
    package = source / "antifaz_client"
    package.mkdir()
    for file in (ROOT / "client" / "antifaz_client").iterdir():
        if file.is_file():
            (package / file.name).write_bytes(file.read_bytes())
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder)
    run(sys.executable, *build, source, folder=folder)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", folder=folder)
    python = folder / "venv" / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    run(sys.executable, "-m", "zipfile", "-e", next(folder.glob("*.whl")), site, folder=folder)
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
