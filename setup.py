"""The Cython extensions, nothing else: every ``core_ext/_*.pyx`` there is.

``RASPUTITSA_BOUNDS_CHECK=1`` makes the second build, which checks bounds and initialisation; the kernels' tests run
against it unchanged::

    RASPUTITSA_BOUNDS_CHECK=1 python setup.py build_ext --inplace --force
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKED = os.environ.get("RASPUTITSA_BOUNDS_CHECK", "0") not in ("", "0")

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": True,
    "embedsignature": False,
    "freethreading_compatible": True,  # kernels share nothing
}


def extensions() -> list[Extension]:
    """Return one extension for each kernel source, in the order of their names."""
    here = Path(__file__).parent
    return [
        Extension(
            f"core_ext.{source.stem}",
            [str(source.relative_to(here))],
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
            extra_compile_args=["-O1", "-g"] if CHECKED else ["-O3"],
        )
        for source in sorted((here / "core_ext").glob("_*.pyx"))
    ]


kernels = extensions()
setup(
    ext_modules=cythonize(
        kernels,
        build_dir="build/checked" if CHECKED else "build/cython",
        compiler_directives=DIRECTIVES,
        language_level=3,
    )
    if kernels
    else [],
)
