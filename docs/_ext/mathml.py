"""Render formulas as MathML, which browsers draw by themselves: no script, no network, no LaTeX."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
SIZES = re.compile(r"\\[bB]igg?[lrm]?(?![a-zA-Z])")  # browsers choose the size of brackets


def _mathml(node: nodes.Element, *, block: bool) -> str:
    tex = SIZES.sub("", node.astext())
    try:
        return str(tex2mathml(tex, as_block=block))
    except MathError as error:
        LOGGER.warning("formula %r: %s", tex, error, location=node)
        return f"<code>{html.escape(tex)}</code>"


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    self.body.append(f'<div class="math">{_mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
