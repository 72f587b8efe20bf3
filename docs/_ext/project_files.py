"""Let pages that are read on the site and as plain files link to files of the project."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

# what the pages of the repository link to that is no page of the site
OUTSIDE = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)*((?:examples|benchmarks|src|tests|\.github)[^)\s]*|[A-Z_]+\.md|CITATION\.cff)\)"
)
PAGES = {"CHANGELOG.md": "changelog.md", "CITATION.cff": "cite.md"}


def on_the_site(app: Sphinx, document: str, source: list[str]) -> None:
    """Replace links that leave the site by the page that has the same content, or by the name of the file."""
    prefix = "../" * document.count("/")
    if document == "changelog":  # the file at the root of the project, whose links start there
        source[0] = (app.srcdir.parent / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")

    def replaced(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if (page := PAGES.get(target)) is not None:
            return f"[{text}]({prefix}{page})"
        if target.startswith("examples/plot_"):
            return f"[{text}]({prefix}gallery/{target.removeprefix('examples/').removesuffix('.py')}.rst)"
        return f"{text} (`{target}`)" if text.strip("`") != target else f"`{target}`"

    source[0] = OUTSIDE.sub(replaced, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite every page as it is read."""
    app.connect("source-read", on_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
