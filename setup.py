"""What pyproject.toml cannot say: the packages' two roots, and the compiled engine.

TCC_PURE=1 builds a wheel for every platform, with the engine interpreted.  Without a C compiler
the install goes on, with a warning, and the engine is interpreted too.

TCC_ENGINE_CHECKS=bounds or =address builds an engine that checks what it does; it is for tests, is
not optional, and belongs into a folder of its own (`make engine-bounds`, `make engine-asan`).
TCC_ENGINE_ONLY="tcc.engine.packet ..." compiles these modules and leaves the others interpreted.
"""

import os
from pathlib import Path

from setuptools import Extension, find_namespace_packages, find_packages, setup
from setuptools.command.build_ext import build_ext

MODULES = Path("tcc/engine/_modules.txt")  # one dotted module name a line, # for comments
# Neighbouring counters of a row are written one by one: a vector of two would wait for both.
FLAGS = ["-O3", "-fno-tree-vectorize", "-g0"]

CHECKS = os.environ.get("TCC_ENGINE_CHECKS", "")
"""Empty, `bounds` (Cython's checks, and the compiler's of undefined behaviour), or `address`."""
DIRECTIVES: dict[str, dict[str, bool]] = {
    "": {},
    "address": {},
    "bounds": {
        "boundscheck": True,
        "wraparound": True,
        "initializedcheck": True,
        "cdivision": False,  # a division by zero is an error, and one of negative numbers Python's
    },
}
ONLY = os.environ.get("TCC_ENGINE_ONLY", "").split()
SANITIZERS = {"bounds": "undefined", "address": "address,undefined"}


class BuildEngine(build_ext):  # type: ignore[misc]
    """Translates the engine's modules to C when they are built, and for no other command."""

    def run(self) -> None:
        """Translate, then compile; a module that cannot be translated ends the build."""
        from Cython.Build import cythonize  # noqa: PLC0415 - a pure build needs no Cython

        for extension in self.extensions:
            [translated] = cythonize(  # type: ignore[no-untyped-call]
                [extension],
                build_dir=f"build/cython{CHECKS and '-'}{CHECKS}",
                language_level=3,
                compiler_directives=DIRECTIVES[CHECKS],
            )
            extension.sources = translated.sources
        super().run()


def engine_modules() -> list[str]:
    """Return the modules to compile; none where the engine is to stay pure Python."""
    if os.environ.get("TCC_PURE") == "1" or not MODULES.exists():
        return []
    lines = (line.partition("#")[0].strip() for line in MODULES.read_text("ascii").splitlines())
    return [line for line in lines if line and (line in ONLY or not ONLY)]


def extension(module: str) -> Extension:
    """Return the extension made of a module's own source; optional: see above."""
    sources = [module.replace(".", "/") + ".py"]
    if not CHECKS:
        return Extension(
            module, sources, optional=True, extra_compile_args=FLAGS, extra_link_args=["-s"]
        )
    sanitize = [f"-fsanitize={SANITIZERS[CHECKS]}"]
    return Extension(
        module,
        sources,
        extra_compile_args=["-O0", "-g1", *sanitize],
        extra_link_args=sanitize,
    )


setup(
    packages=[
        *find_packages(include=["tcc", "tcc.*"]),
        "tcc.grammar",
        *find_namespace_packages("plugins", include=["tcc_plugins", "tcc_plugins.*"]),
    ],
    ext_modules=[extension(module) for module in engine_modules()],
    cmdclass={"build_ext": BuildEngine},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
