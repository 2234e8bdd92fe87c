"""Packages that extend Antifaz, installed in a folder of their own: the example, and ones made up by a test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "extension"


def install_example(folder: Path) -> Path:
    """Install the example as an operator would, but into a folder; return the folder."""
    source, target = folder / "source", folder / "installed"
    shutil.copytree(EXAMPLE, source)
    offline = ["--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", target, source], check=True)
    return target


def install_made_up(folder: Path, name: str, entry_points: str, modules: Mapping[str, str]) -> Path:
    """Write what an installed package of version 0.1 consists of."""
    about = folder / f"{name}-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(entry_points)
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source)
    return folder


def environment(*installed: Path) -> dict[str, str]:
    """The environment of a process in which the packages of some folders are installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*installed, ROOT)))}


def run(code: str, *installed: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program in such a process."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment(*installed), capture_output=True, text=True)
