#!/usr/bin/env python3
"""Builds each mutant of list.py in place and runs the test that must fail. A test that hangs counts as failed. The sources are put
back after each mutant, also after Ctrl+C and SIGTERM; files with changes of yours are refused. Commit nothing meanwhile. The exit
status is 1 if a mutant survives.
    run.py --build build/dev [--only PART OF A NAME] [--seconds 300]
    run.py --check    only looks whether every mutation applies and its test exists; this is the ordinary test"""
import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from list import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]


def problem_of(mutation):
    count = (ROOT / mutation.file).read_text().count(mutation.before)
    if count != 1:
        return f"{mutation.file} has its text {count} times"
    test = ROOT / "tests" / f"{mutation.test}.cpp"
    if not test.exists() or f"void {mutation.function.split(':')[0]}(" not in test.read_text():
        return f"there is no {mutation.function}() in {test.relative_to(ROOT)}"
    return ""


def environment():
    """What ctest sets for these tests (tests/CMakeLists.txt)."""
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "STAGELENS_TEST_DATA": str(ROOT / "tests"),
            "STAGELENS_RESOURCES": str(ROOT / "resources"), "OPENBLAS_NUM_THREADS": "1"}


def build(folder):
    done = subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1), "--target", "integration_tests",
                           "stagelens-cuda-on-host"],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else done.stdout[-2000:]


def outcome_of_test(folder, mutation, seconds):
    """"passed", "failed", or "hung"."""
    program = ROOT / folder / "tests" / "integration_tests"
    command = [program, mutation.test, mutation.function]
    try:
        done = subprocess.run(command, cwd=ROOT, env={**environment(), "STAGELENS_BINARIES": str(ROOT / folder)},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "hung"
    return "passed" if done.returncode == 0 else "failed"


def try_mutant(folder, mutation, seconds):
    """Returns what the test made of the mutant."""
    file = ROOT / mutation.file
    original = file.read_text()
    file.write_text(original.replace(mutation.before, mutation.after))
    try:
        problem = build(folder)
        return f"does not compile: {problem}" if problem else outcome_of_test(folder, mutation, seconds)
    finally:
        file.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", help="folder of the build, such as build/dev")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=300, help="a test that takes longer hangs")
    options = parser.parse_args()
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell ignores the first for jobs in the background
        signal.signal(ending, signal.default_int_handler)
    problems = [f"{mutation.name}: {problem}" for mutation in MUTATIONS if (problem := problem_of(mutation))]
    if problems or options.check:
        print("\n".join(problems) or f"{len(MUTATIONS)} mutations apply")
        sys.exit(bool(problems))
    if not options.build:
        parser.error("give --build or --check")
    files = sorted({mutation.file for mutation in MUTATIONS})
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *files], cwd=ROOT).returncode != 0:
        sys.exit("commit the changes of these files first: " + ", ".join(files))
    chosen = [mutation for mutation in MUTATIONS if options.only in mutation.name]
    if problem := build(options.build):
        sys.exit(problem)
    for mutation in {(mutation.test, mutation.function): mutation for mutation in chosen}.values():
        if outcome_of_test(options.build, mutation, options.seconds) != "passed":
            sys.exit(f"{mutation.function} of {mutation.test} fails without a mutation")
    survivors = 0
    for mutation in chosen:
        begin = time.monotonic()
        outcome = try_mutant(options.build, mutation, options.seconds)
        survivors += outcome not in ("failed", "hung")
        print(f"{outcome}: {mutation.name} ({mutation.function}, {time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants were detected")
    build(options.build)
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
