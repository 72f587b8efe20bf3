"""Install what `make package` has built as on a fresh machine, and run the demo and the README's example with it.

    python tests/packaging/fresh.py [--dist DIST] [--journal FILE] PYTHON …

Every Python gets an environment for the wheel of this platform, one for the sdist, where no C compiler works, and
one for the wheel with the oldest libraries that `constraints/minimum.txt` names, unless these do not exist for it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = "[cli,report,files]"
LOOPS = "from manyview.kernels import compiled; print('with' if compiled.library else 'without', 'compiled loops')"
FACTS = (
    "import platform, numpy, scipy, sklearn; print(platform.python_version(), numpy.__version__, scipy.__version__, "
)
FACTS += "sklearn.__version__)"


def main():
    parser = argparse.ArgumentParser(description="Install the wheel and the sdist in fresh environments.")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--journal", type=Path, help="file to which the results are added")
    options = parser.parse_args()
    (wheel,) = [path for path in options.dist.glob("*.whl") if not path.name.endswith("-any.whl")]
    (sdist,) = options.dist.glob("*.tar.gz")
    minimum = ("--constraint", str(ROOT / "constraints" / "minimum.txt"), "--only-binary", ":all:")
    failed = False
    for python in options.pythons:
        for name, file, more in (("wheel", wheel, ()), ("sdist", sdist, ()), ("wheel, oldest", wheel, minimum)):
            found = installed(python, file, more)
            print(f"{python}, {name}: {found['outcome']}; {found['with']}", flush=True)
            failed |= found["outcome"] != "works" and not (more and found["outcome"] == "no such libraries")
            if options.journal:
                with options.journal.open("a", encoding="utf-8") as journal:
                    journal.write(json.dumps({"kind": "fresh", "from": name} | found) + "\n")
    raise SystemExit(failed)


def installed(python, file, more):
    """Install a file with a Python, and say whether the demo and the example run, and with what."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
        program = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"CC": "/bin/false", "PATH": f"{program}{os.pathsep}{os.defpath}"}

        def run(*words):
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        code, _, told = run(program / "python", "-m", "pip", "install", "-q", *more, f"{file}{EXTRAS}")
        if code:
            return {
                "outcome": "no such libraries"
                if "No matching" in told or "ResolutionImpossible" in told
                else f"pip: {told[-500:]}",
                "with": "",
            }
        versions = " ".join(run(program / "python", "-c", FACTS)[1].split())
        loops = run(program / "python", "-c", LOOPS)[1].strip()
        example = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        for words in (("manyview", "demo"), ("manyview", "--version"), ("python", "-W", "error", "-c", example)):
            code, out, told = run(program / words[0], *words[1:])
            if code:
                return {"outcome": f"{' '.join(words[:2])}: {told[-500:]}", "with": f"{versions}, {loops}"}
        said = out.splitlines()[-1]
        outcome = "works" if "accuracy" in said and Path(folder, "manyview-demo", "report.html").exists() else said
        return {"outcome": outcome, "with": f"{versions}, {loops}, {' '.join(said.split()[:2])}"}


if __name__ == "__main__":
    sys.exit(main())
