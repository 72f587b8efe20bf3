"""How the site is built by ``make docs``. Everything that it shows is made here; nothing is loaded from elsewhere."""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
(HERE / "_sample").mkdir(exist_ok=True)  # sample_report.py fills it
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))

import manyview  # noqa: E402

project = "manyview"
author = "The manyview developers"
copyright = "2026, the manyview developers"
version = release = manyview.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "project_files",
    "sample_report",
]
exclude_patterns = ["_build", "_sample", "results"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = "manyview"
html_static_path = ["_static"]
html_extra_path = ["_sample"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
}
html_sidebars = {page: [] for page in ("index", "start", "which", "faq")}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc docstrings name the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"plot_",
    "within_subsection_order": "gallery_order.GalleryOrder",
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "write_computation_times": False,
    "matplotlib_animations": False,
    "min_reported_time": 5,
}

warnings.filterwarnings("ignore", category=DeprecationWarning)  # of the tools; those of the package fail its tests
