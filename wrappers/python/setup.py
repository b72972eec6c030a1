"""Builds the package against a Pith that pkg-config finds: outside Pith's tree by pip wheel ., inside by make wheel."""

import subprocess

from setuptools import Extension, setup


def pkg_config(*words):
    return subprocess.run(["pkg-config", *words], check=True, capture_output=True, text=True).stdout.strip()


def extension(name, library, *sources):
    return Extension(
        f"pith.{name}", [f"pith/{source}.c" for source in sources], depends=["pith/_read.h"],
        extra_compile_args=pkg_config("--cflags", library).split(), extra_link_args=pkg_config("--libs", library).split(),
        py_limited_api=True)


setup(
    name="pith",
    version=pkg_config("--modversion", "pithlog"),
    description="Reads timeline logs of parallel programs into numpy arrays, and records from Python",
    license="MIT",
    packages=["pith"],
    package_data={"pith": ["py.typed", "*.pyi", "lib*.so.*"]},  # (make wheel puts libraries there)
    ext_modules=[extension("_read", "pithlog", "_read", "_records", "_analysis"), extension("_record", "pith", "_record")],
    python_requires=">=3.11",
    install_requires=["numpy"],
    extras_require={"frames": ["pandas"]},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
