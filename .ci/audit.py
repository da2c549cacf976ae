"""What the package consists of and what it brings along, checked as far as can be.

``contents DIST FILES``
    The wheel and the sdist in a folder hold the files of the list that they should: the
    wheel the modules of every sub-package and, where there is a C compiler, what was
    compiled from the others.
``environment``
    What is installed next to this Python is the package and its run-time dependencies,
    which fit together, are as they were published, and have permissive licenses.
``advisories [--required]``
    Whether known vulnerabilities are reported of the run-time dependencies. That takes
    pip-audit, and its service: without it nothing is checked, which fails if required.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

PACKAGE = "onlinekmeans_sklearn"
OF_VENV = {"pip", "setuptools", "wheel"}
IN_SDIST = ("benchmarks/", "doc/", f"{PACKAGE}/", "tests/", "CHANGES.rst", "LICENSE")
IN_SDIST += ("CONTRIBUTING.rst", "MANIFEST.in", "README.rst", "pyproject.toml", "setup.cfg")
PERMISSIVE = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0"}
PERMISSIVE |= {"MIT", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"}
PERMISSIVE_CLASSES = {"Apache Software License", "BSD License", "MIT License"}
SILENCE = 10  # seconds after which the service counts as not reachable


def check(is_right, problem):
    """End with the problem unless all is right."""
    if not is_right:
        raise SystemExit(f"audit: {problem}")


def check_contents(dist, files):
    """Check that the wheel and the sdist hold all that they should, and nothing else."""
    files = set(Path(files).read_text().splitlines())
    (wheel,), (sdist,) = Path(dist).glob("*.whl"), Path(dist).glob("*.tar.gz")
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    metadata = {name for name in in_wheel if ".dist-info/" in name}
    check(any(name.endswith("/licenses/LICENSE") for name in metadata), "no license")
    compiled = {name for name in in_wheel if name.endswith((".so", ".pyd"))}
    modules = {f for f in files if f.startswith(f"{PACKAGE}/") and f.endswith(".py")}
    check_equal("wheel", in_wheel - metadata - compiled, modules)
    check_compiled(compiled, {f for f in files if f.endswith(".pyx")}, wheel.stem)
    with tarfile.open(sdist) as archive:
        paths = [member.name for member in archive if member.isfile()]
    in_sdist = {path.partition("/")[2] for path in paths}
    made = {name for name in in_sdist if name == "PKG-INFO" or ".egg-info/" in name}
    check_equal("sdist", in_sdist - made, {f for f in files if f.startswith(IN_SDIST)})


def check_compiled(compiled, sources, wheel):
    """Check that every extension is there, once and for this platform, or none can be."""
    stems = sorted(name.partition(".")[0] for name in compiled)
    expected = sorted(name.removesuffix(".pyx") for name in sources)
    if not compiled and expected and not has_compiler():
        print("wheel: nothing compiled, since there is no C compiler")
        return
    check(stems == expected, f"wheel: expected {expected} compiled, found {stems}")
    check(not compiled or not wheel.endswith("-any"), f"{wheel} is not for any platform")
    print(f"wheel: {len(compiled)} compiled, as expected")


def has_compiler():
    """Return whether an extension can be compiled, by the compiler that would be taken."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = f"-I{sysconfig.get_path('include')}"
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "empty.c"), Path(folder, "empty.o")
        source.write_text("#include <Python.h>\n")
        command = [*compiler, include, "-c", str(source), "-o", str(made)]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except OSError:
            return False


def check_equal(what, found, expected):
    """Check that two sets of names are equal."""
    missing, others = sorted(expected - found), sorted(found - expected)
    check(not missing and not others, f"{what}: {missing} missing, {others} too many")
    print(f"{what}: {len(found)} files, as expected")


def normal(name):
    """Return a name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_dependencies(name, found=None):
    """Return the installed distributions that one needs at run time, itself included."""
    found = {} if found is None else found
    installed = {normal(dist.metadata["Name"]) for dist in distributions()}
    if normal(name) in installed - found.keys():
        found[normal(name)] = distribution(name)
        for requirement in found[normal(name)].requires or []:
            if not re.search(r";.*\bextra\b", requirement):
                with_dependencies(re.match(r"[\w.-]+", requirement)[0], found)
    return found


def check_environment():
    """Check what is installed next to this Python."""
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True)
    needed = with_dependencies(PACKAGE)
    installed = {normal(dist.metadata["Name"]) for dist in distributions()}
    others = sorted(installed - needed.keys() - OF_VENV)
    check(not others, f"installed, but no dependency: {others}")
    for name, dist in sorted(needed.items()):
        check(is_permissive(dist.metadata), f"{name}: is its license permissive?")
        changed = [str(file) for file in dist.files if is_changed(file)]
        check(not changed, f"{name}: not as in its RECORD: {changed}")
        print(f"{name} {dist.version}: {len(dist.files)} files as published")


def is_changed(file):
    """Return whether an installed file is not what the wheel said it would be."""
    if file.hash is None:  # of RECORD itself, and of what Python compiled
        return file.suffix not in (".pyc", "") and file.parent.suffix != ".dist-info"
    digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value


def is_permissive(metadata):
    """Return whether the metadata name permissive licenses only."""
    expression = metadata.get("License-Expression")
    if expression:
        names = set(re.findall(r"[\w.+-]+", expression)) - {"AND", "OR"}
        return names <= PERMISSIVE
    classifiers = [c.split(" :: ") for c in metadata.get_all("Classifier") or []]
    classes = {c[-1] for c in classifiers if c[0] == "License"}
    return bool(classes) and classes <= PERMISSIVE_CLASSES


def check_advisories(is_required):
    """Ask pip-audit about the installed versions of the run-time dependencies."""
    versions = {name: dist.version for name, dist in with_dependencies(PACKAGE).items()}
    del versions[normal(PACKAGE)]  # which is not published
    reports = advisories(versions)
    for name, version in versions.items():
        report = reports.get(name, {"skip_reason": "no answer"})
        if "vulns" not in report:
            print(f"{name} {version}: not reachable: not checked ({report['skip_reason']})")
            check(not is_required, "the check of vulnerabilities is required")
            continue
        vulnerabilities = [entry["id"] for entry in report["vulns"]]
        check(not vulnerabilities, f"{name} {version} is vulnerable: {vulnerabilities}")
        print(f"{name} {version}: no vulnerability known")


def advisories(versions):
    """Return the reports of pip-audit by name: none if it cannot be run to its end."""
    with tempfile.TemporaryDirectory() as folder:
        pins, answer = Path(folder, "pins.txt"), Path(folder, "answer.json")
        pins.write_text("".join(f"{name}=={v}\n" for name, v in versions.items()))
        command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps"]
        command += ["--progress-spinner=off", f"--timeout={SILENCE}", "--format=json"]
        command += [f"--requirement={pins}", f"--output={answer}"]
        try:
            subprocess.run(command, capture_output=True, timeout=len(versions) * SILENCE)
        except subprocess.TimeoutExpired:
            return {}
        found = json.loads(answer.read_text())["dependencies"] if answer.exists() else []
        return {normal(report["name"]): report for report in found}


def main():
    """Run one of the checks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    checks = parser.add_subparsers(dest="check", required=True)
    contents = checks.add_parser("contents")
    contents.add_argument("dist")
    contents.add_argument("files")
    checks.add_parser("environment")
    checks.add_parser("advisories").add_argument("--required", action="store_true")
    options = parser.parse_args()
    if options.check == "contents":
        check_contents(options.dist, options.files)
    elif options.check == "environment":
        check_environment()
    else:
        check_advisories(options.required)


if __name__ == "__main__":
    main()
