#!/usr/bin/env python3
"""How fast the CPU engine trains: tables of figures from the programs in a build folder, on this machine.

  step      a training step against PyTorch eager and against the machine's matrix products
  live      two devices on two cores against one, with and without vocabulary parallelism
  overhead  what a pass costs beside its kernels
  scaling   vocabulary layers on 1, 2, 4, 8 devices relative to linear, in the form of arXiv 2411.05288, table 3
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
STEP_MODEL = {"layers": 8, "hidden": 512, "heads": 8, "sequence": 256, "vocabulary-size": 32768}


def output_of(command, **environment):
    done = subprocess.run([str(part) for part in command], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def train(build, model, **options):
    """The run document of a few steps of a GPT."""
    settings = {"family": "gpt", **model, "steps": 6, **{name.replace("_", "-"): value for name, value in options.items()}}
    with tempfile.TemporaryDirectory() as data:
        command = [build / "stagelens-cli", "run", "--json", "--untied"]
        for name, value in settings.items():
            command += [f"--{name}", value]
        return json.loads(output_of(command, STAGELENS_DATA_DIR=data))


def settled(seconds):
    """Without the first two steps, which touch memory for the first time."""
    return seconds[2:] or seconds


def kernel_times(build, name):
    """Processor seconds and FLOPs of kernels, the best of some repetitions."""
    document = json.loads(output_of([build / "tests/bench_kernels", f"--benchmark_filter={name}", "--benchmark_format=json",
                                     "--benchmark_repetitions=12", "--benchmark_min_time=0.05"]))
    best = {}
    for run in document["benchmarks"]:
        if run["run_type"] == "iteration":
            kernel, seconds = run["run_name"], run["cpu_time"] / 1e3
            if kernel not in best or seconds < best[kernel][0]:
                best[kernel] = seconds, run["FLOP/s"] * seconds
    return best


def pass_seconds(run, kinds):
    slices = [piece for device in run["devices"] for piece in device["slices"] if piece["pass"] in kinds]
    return sum(piece["end_ns"] - piece["begin_ns"] for piece in slices) / 1e9


def product_report(build, layers, microbatches):
    products = kernel_times(build, "product")
    peak = max(flops / seconds for name, (seconds, flops) in products.items() if "/peak/" in name)
    seconds = flops = 0
    for name, (each, work) in products.items():
        if "/peak/" not in name:
            times = microbatches * (1 if "/logits/" in name else layers)
            seconds, flops = seconds + times * each, flops + times * work
    print(f"sgemm peak of this round {peak / 1e9:.1f} GFLOP/s; products of the step {flops / seconds / 1e9:.1f} GFLOP/s, "
          f"{flops / seconds / peak:.0%} of the peak")
    return peak


def own_step(build, steps):
    return train(build, STEP_MODEL, devices=1, microbatches=4, vocabulary="none", steps=2 + steps)


def torch_steps(python, steps, only):
    """Name, BLAS and seconds of the steps of the variants, or of the one that was the fastest before."""
    document = json.loads(output_of([python, FOLDER / "pytorch_step.py", "--steps", 2 + steps, *(["--only", only] if only else [])]))
    return [(f"PyTorch {document['version']}, {each['attention']}+{each['optimizer']}", document["blas"].split("=")[-1],
             each["seconds"]) for each in document["variants"] if "refused" not in each]


def step(build, options):
    rows, fastest, peak = [], {}, 0
    for _ in range(options.rounds):
        peak = max(peak, product_report(build, STEP_MODEL["layers"], 4))
        run = own_step(build, options.steps)
        own = [nanos / 1e9 for nanos in run["iterations"]["steps_ns"]]
        rows.append(("Stagelens", run["environment"]["blas"].split(" NO")[0], own))
        work = run["metrics"]["model_flops_causal"]
        best = min(settled(own))
        print(f"step {best:.3f} s: {work / best / 1e9:.1f} GFLOP/s, {work / best / peak:.0%} of the best peak")
        for python in options.python:
            found = torch_steps(python, options.steps, fastest.get(python))
            fastest[python] = min(found, key=lambda row: min(settled(row[2])))[0].split(", ")[1]
            rows += found
    best = min(min(settled(row[2])) for row in rows if row[0] == "Stagelens")
    print("| program | BLAS | best step | against Stagelens' best |\n|---|---|---|---|")
    for name, blas, seconds in rows:
        print(f"| {name} | {blas} | {min(settled(seconds)):.3f} s | {min(settled(seconds)) / best:.2f}x |")


def live(build, options):
    print("| vocabulary | devices | mode | step | against one device |\n|---|---|---|---|---|")
    one = None
    for devices, method in ((1, "none"), (2, "none"), (2, "vocab-1"), (2, "vocab-2")):
        run = train(build, STEP_MODEL, devices=devices, microbatches=16, vocabulary=method, mode="live", steps=options.steps)
        best = min(settled(run["iterations"]["steps_ns"])) / 1e9
        one = one or best
        print(f"| {method} | {devices} | live | {best:.3f} s | {one / best:.2f}x |")


def overhead(build, options):
    tiny = {"layers": 2, "hidden": 8, "heads": 1, "sequence": 2, "vocabulary-size": 16}
    print("| devices | mode | passes | between two passes of a device, median | all of a step beside its kernels, a pass |")
    print("|---|---|---|---|---|")
    for devices, mode in ((1, "live"), (2, "live"), (2, "virtual-clock")):
        run = train(build, tiny, devices=devices, microbatches=512, vocabulary="none", mode=mode, steps=options.steps)
        gaps = []
        for device in run["devices"]:
            pieces = device["slices"]
            gaps += [after["begin_ns"] - before["end_ns"] for before, after in zip(pieces, pieces[1:])]
        count = sum(len(device["slices"]) for device in run["devices"])
        beside = (run["iterations"]["median_ns"] - pass_seconds(run, ("F", "B")) * 1e9 / devices) / count * devices
        print(f"| {devices} | {mode} | {count} | {statistics.median(gaps) / 1e3:.2f} us | {beside / 1e3:.2f} us |")


def least_pass_seconds(run, kinds):
    """The shortest pass of each device and kind: what else the machine did can only lengthen one."""
    return {(device, kind): min(piece["end_ns"] - piece["begin_ns"] for piece in lane["slices"] if piece["pass"] == kind) / 1e9
            for device, lane in enumerate(run["devices"]) for kind in kinds}


def scaling(build, options):
    model = {**STEP_MODEL, "vocabulary-size": options.vocabulary_size, "ffn": 64}  # the layers do not count here
    rows = {("output, vocab-1 (S+T)", "vocab-1"): ("S", "T"), ("output, vocab-2 (S+T)", "vocab-2"): ("S", "T"),
            ("input (EF+EB)", "vocab-2"): ("EF", "EB")}
    least = {}  # of all rounds; the sum over the devices is the same for each count where the scaling is linear
    for _ in range(options.rounds):
        for devices in (1, 2, 4, 8):
            for method in ("vocab-1", "vocab-2"):
                run = train(build, model, devices=devices, microbatches=8, vocabulary=method, mode="virtual-clock",
                            steps=options.steps)
                for row, kinds in rows.items():
                    if row[1] == method:
                        best = least.setdefault((row, devices), {})
                        for place, seconds in least_pass_seconds(run, kinds).items():
                            best[place] = min(seconds, best.get(place, seconds))
    total = {key: sum(best.values()) for key, best in least.items()}
    print("| layer | 1 device | 2 | 4 | 8 |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row[0]} | " + " | ".join(f"{total[row, 1] / total[row, p]:.1%}" for p in (1, 2, 4, 8)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("step", "live", "overhead", "scaling"))
    parser.add_argument("--build", type=Path, default=Path("build/dev"), help="a build folder with tests/bench_kernels")
    parser.add_argument("--python", action="append", default=[], help="an interpreter with PyTorch; may be repeated")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=2, help="of step and scaling: all take turns that often, and the best counts")
    parser.add_argument("--vocabulary-size", type=int, default=32768, help="of scaling")
    options = parser.parse_args()
    globals()[options.what](options.build, options)


if __name__ == "__main__":
    main()
