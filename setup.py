"""Builds the distribution: the pages of documentation that the service serves go into it beside their reader."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithPages(build_py):
    """Copies the Markdown files of docs/ that are served; an editable install reads them where they are."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        pages = Path(self.build_lib) / "service" / "documentation" / "pages"
        docs = ROOT / "docs"
        for file in [*docs.glob("*.md"), *(docs / "guides").glob("*.md"), *(docs / "topics").glob("*.md")]:
            target = pages / file.relative_to(docs)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


setup(cmdclass={"build_py": BuildWithPages})
