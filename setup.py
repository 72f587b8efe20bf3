"""The compiled loops, and a wheel of them that serves every Python of a platform; all else is in pyproject.toml.

ctypes loads the loops, which know nothing of Python: the tag of the wheel names the platform alone. Without a C
compiler the package is installed all the same, and works with NumPy. The loops are written for GCC and Clang, so that
Windows has none. MANYVIEW_PURE=1 in the environment leaves them out: a wheel for all platforms.
"""

import os
import re
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

PURE = os.environ.get("MANYVIEW_PURE") == "1" or sys.platform == "win32"
LOOPS = Extension(
    "manyview.kernels._compiled",
    sources=["src/manyview/kernels/_compiled.c"],
    extra_compile_args=["-O3", "-fno-wrapv", "-fopenmp-simd", "-Wno-psabi"],
    optional=True,
)


class BuildLoops(build_ext):
    """Names the library without the version of Python."""

    def get_ext_filename(self, fullname: str) -> str:
        return os.path.join(*fullname.split(".")) + ".so"


class PlatformWheel(bdist_wheel):
    """Names the platform, but no version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", "any" if PURE else super().get_tag()[2]


def front_page() -> str:
    """Return README.md for a package index, which has neither its pictures nor the files that it links to."""
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    without_pictures = re.sub(r"^!\[[^\]]*\]\((?!https?:)[^)]+\)\n+", "", text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", without_pictures)


setup(
    ext_modules=[] if PURE else [LOOPS],
    cmdclass={"build_ext": BuildLoops, "bdist_wheel": PlatformWheel},
    long_description=front_page(),
    long_description_content_type="text/markdown",
)
