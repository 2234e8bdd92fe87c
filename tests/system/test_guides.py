"""The guides: every recipe in them is run unchanged, against the whole service.

The language of a fence decides its use: `sh` and `python` are run in the order of the page, `json NAME` is saved under
its name, and `text` is only for reading.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.documentation.sources import FOLDER, GUIDES
from tests.patience import RECOVERY, patience
from tests.system.conftest import ROOT, Stack

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [name for name, file in GUIDES.items() if file.startswith("guides/")]
ONLY_READ = {"tables": 1, "deploying": 3}
"""Fences that cannot be run here: variables with a user's own token or provider, containers, and images of others."""

FEW = ("tables", "temporal-graphs", "differential-privacy", "portals")
"""Guides whose recipes are run with every change; together they use curl, the command line, Python and policies."""


def fences(name: str) -> list[tuple[str, str]]:
    return FENCE.findall((FOLDER / GUIDES[name]).read_text(encoding="utf-8"))


def as_script(name: str) -> str:
    """A page as one shell script, so that recipes share variables."""
    lines = ["set -euo pipefail"]
    for language, content in fences(name):
        word, _, file = language.partition(" ")
        end = "END_OF_RECIPE"
        if word == "sh":
            lines.append(content)
        elif word == "python":
            lines.append(f"python - <<'{end}'\n{content}{end}")
        elif word == "json":
            lines.append(f"cat > {file} <<'{end}'\n{content}{end}")
    return "\n".join(lines)


def test_every_fence_says_what_becomes_of_it() -> None:
    for name in PAGES:
        languages = [language for language, _ in fences(name)]
        assert all(re.fullmatch(r"sh|python|text|json [a-z.-]+\.json", language) for language in languages), name
        assert languages.count("text") == ONLY_READ.get(name, 0), name
        assert "sh" in languages


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FEW else pytest.mark.long) for name in PAGES])
def test_every_recipe_of_a_guide_works(stack: Stack, tmp_path: Path, name: str) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    role = "admin" if name == "deploying" else "steward"
    environment = os.environ | {
        "ANTIFAZ_URL": stack.address,
        "ANTIFAZ_TOKEN": stack.token(role),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        # The verifier and the client of this checkout, in any folder.
        "PYTHONPATH": f"{ROOT}:{ROOT / 'client'}",
    }
    done = subprocess.run(
        ["bash", "-c", as_script(name)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience(RECOVERY),
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
