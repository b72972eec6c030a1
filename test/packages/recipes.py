"""recipes.py FOLDER PREFIX - reads the recipes for Spack and conda (make recipes) as far as that goes without Spack and conda:
the first by stand-ins of the names that it uses, the second as YAML with its selectors. Prints TAP lines."""

import re
import sys
import types
from pathlib import Path

folder, prefix = Path(sys.argv[1]), sys.argv[2]
top = Path(__file__).resolve().parents[2]


def check(good, what):
    print(f"{'ok' if good else 'not ok'} - {what}")


# ---- Spack: directives are functions, and make is called with the arguments of a build and of an installation.
calls = {}
makes = []


def directive(name):
    def call(*words, **options):
        calls.setdefault(name, []).append((words, options))
    return call


class MakefilePackage:
    spec = None
    prefix = prefix


class Spec(dict):
    def __init__(self, variants):
        super().__init__(mpi=types.SimpleNamespace(mpicc="/mpi/bin/mpicc"))
        self.variants = variants

    def satisfies(self, what):
        return what in self.variants


module = types.ModuleType("spack.package")
module.MakefilePackage = MakefilePackage
module.make = lambda *words: makes.append(words)
for name in "license version variant depends_on".split():
    setattr(module, name, directive(name))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = module
space = {}
exec(compile((folder / "spack/package.py").read_text(), "package.py", "exec"), space)
version, checksum = calls["version"][0][0][0], calls["version"][0][1]["sha256"]
check(len(checksum) == 64 and space["Pith"].url.endswith(f"pith-{version}.tar.gz"), "Spack: one version, with its sum and tarball")
check({"mpi", "zlib-api"} <= {words[0] for words, _ in calls["depends_on"]}, "Spack: it needs MPI and zlib")
variables = set(re.findall(r"\$\((\w+)\)|^(\w+) [:?]?=", "\n".join(p.read_text() for p in [top / "Makefile", *top.glob("*/*/*.mk"), *top.glob("*/*.mk")]), re.M))
variables = {name for pair in variables for name in pair}
for variants in ([], ["+viewer"], ["+viewer", "+page"]):
    makes.clear()
    pith = space["Pith"]()
    pith.spec = Spec(variants)
    pith.build(pith.spec, prefix)
    pith.install(pith.spec, prefix)
    words = [set(m) for m in makes]
    check(len(words) == 2 and words[1] - words[0] == {"install"} and f"PREFIX={prefix}" in words[0] and
          ("HAVE_TK=" in words[0]) == ("+viewer" not in variants) and ("HAVE_MHD=" in words[0]) == ("+page" not in variants),
          f"Spack: make, then make install, {' '.join(variants) or 'without window and page'}")
    check({word.split("=")[0] for word in words[0]} <= variables, "Spack: the Makefile has these variables")

# ---- conda: {{ }} is Jinja's, and # [linux] a selector.
try:
    import yaml
except ImportError:
    print("# no yaml (package python3-yaml): conda's recipe is not read")
    sys.exit()
recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "jinja", (folder / "conda/meta.yaml").read_text()))
check(recipe["package"] == {"name": "pith", "version": version} and recipe["source"]["sha256"] == checksum, "conda: the same version and sum")
check({"mpich", "zlib"} <= set(recipe["requirements"]["host"]) and "mpich" in recipe["requirements"]["run"], "conda: it needs MPI and zlib")
check((top / recipe["about"]["license_file"]).exists(), "conda: the licence is there")
words = set(re.findall(r"(\w+)=", recipe["build"]["script"]))
check(words <= variables and recipe["build"]["script"].count("DEPS=no") == 2, "conda: the Makefile has these variables")
