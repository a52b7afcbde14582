#!/usr/bin/env python3
"""How long from the exec of `stagelens` to the first picture of its timeline on the screen.

first_picture.py [--build FOLDER] [--platform offscreen|xcb] [--runs N]

Each start is timed from just before fork and exec to what the program prints with --first-picture, both by the monotonic clock.
`first`: a data folder of its own, so that the program also measures the computer in the background; `again`: a folder that was
used; `cold`: again, after the files of the program and its libraries were thrown out of the page cache. xcb wants a display, for
example that of xvfb-run.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def forget(files):
    """Throws files out of the page cache, as far as no other process maps them."""
    for file in files:
        with open(file, "rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def files_of(program, resources):
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = [word for word in libraries.split() if word.startswith("/")] + [program]
    plugins = "/usr/lib/x86_64-linux-gnu/qt6/plugins"
    for folder in (plugins, resources):
        found += [str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    return found


def start(program, environment):
    """Milliseconds of one start."""
    begin = time.monotonic_ns()
    ended = subprocess.run([program, "--first-picture"], env=environment, capture_output=True, text=True, check=True, timeout=60)
    return (int(ended.stdout.split()[-1]) - begin) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--platform", default="offscreen")
    parser.add_argument("--runs", type=int, default=10)
    chosen = parser.parse_args()
    program = os.path.abspath(os.path.join(chosen.build, "stagelens"))
    resources = os.environ.get("STAGELENS_RESOURCES") or str(pathlib.Path(__file__).resolve().parents[2] / "resources")
    environment = dict(os.environ, QT_QPA_PLATFORM=chosen.platform, STAGELENS_RESOURCES=resources)
    figures = {"first": [], "again": [], "cold": []}
    files = files_of(program, resources)
    with tempfile.TemporaryDirectory() as folder:
        for run in range(chosen.runs):
            environment["STAGELENS_DATA_DIR"] = os.path.join(folder, f"data-{run}")
            figures["first"].append(start(program, environment))
            (pathlib.Path(environment["STAGELENS_DATA_DIR"])).mkdir(exist_ok=True)
            environment["STAGELENS_DATA_DIR"] = os.path.join(folder, "used")
            start(program, environment)
            figures["again"].append(start(program, environment))
            forget(files)
            figures["cold"].append(start(program, environment))
    for name, times in figures.items():
        print(f"{name:6} least {min(times):6.0f} ms  median {statistics.median(times):6.0f} ms  most {max(times):6.0f} ms")


if __name__ == "__main__":
    main()
