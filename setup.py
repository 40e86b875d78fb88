"""What pyproject.toml cannot say: the packages' two roots, and the compiled engine.

TCC_PURE=1 builds a wheel for every platform, with the engine interpreted.  Without a C compiler
the install goes on, with a warning, and the engine is interpreted too.
"""

import os
from pathlib import Path

from setuptools import Extension, find_namespace_packages, find_packages, setup

MODULES = Path("tcc/engine/_modules.txt")  # one dotted module name a line, # for comments


def engine_modules() -> list[str]:
    """Return the modules to compile; none where the engine is to stay pure Python."""
    if os.environ.get("TCC_PURE") == "1" or not MODULES.exists():
        return []
    lines = (line.partition("#")[0].strip() for line in MODULES.read_text("ascii").splitlines())
    return [line for line in lines if line]


def extensions() -> list[Extension]:
    """Return one optional extension for each engine module, translated from its own source."""
    modules = [
        Extension(
            name,
            [name.replace(".", "/") + ".py"],
            extra_compile_args=["-O2", "-g0"],
            extra_link_args=["-s"],
        )
        for name in engine_modules()
    ]
    if not modules:
        return []
    from Cython.Build import cythonize  # noqa: PLC0415 - a pure build needs no Cython

    translated: list[Extension] = cythonize(  # type: ignore[no-untyped-call]
        modules, build_dir="build/cython", language_level=3
    )
    for extension in translated:
        extension.optional = True  # cythonize forgets it when given to Extension
    return translated


setup(
    packages=[
        *find_packages(include=["tcc", "tcc.*"]),
        "tcc.grammar",
        *find_namespace_packages("plugins", include=["tcc_plugins", "tcc_plugins.*"]),
    ],
    ext_modules=extensions(),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
