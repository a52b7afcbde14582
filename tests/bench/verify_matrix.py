#!/usr/bin/env python3
"""`stagelens-cli verify` for every combination of ranks, ZeRO, pipeline, vocabulary method and model that a small plan can have:
loss and every gradient against the unpartitioned float64 reference. Results are added to a CSV file line by line; a second call
with that file continues where the first one stopped. Prints a table of counts and worst errors; the exit status is 1 if any
combination fails."""
import argparse
import collections
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COLUMNS = ["model", "tensor", "sequence_parallel", "context", "replicas", "zero", "devices", "vocabulary", "result", "error",
           "message"]
MODELS = {"gpt": ["--family", "gpt", "--heads", "4"],
          **{f"llama, {heads} kv heads": ["--family", "llama", "--heads", "4", "--kv-heads", str(heads)] for heads in (1, 2, 4)}}
SIZES = ["--layers", "4", "--hidden", "32", "--sequence", "16", "--vocabulary-size", "96", "--microbatches", "4", "--untied"]


def combinations():
    """Every plan, as a tuple of the first columns. ZeRO needs ranks that share parameters; SP needs t > 1."""
    for model, tensor, context, replicas, devices, vocabulary in itertools.product(
            MODELS, (1, 2, 4), (1, 2), (1, 2), (1, 2, 4), ("none", "vocab-1", "vocab-2")):
        for sequence_parallel in (False, True) if tensor > 1 else (False,):
            for zero in (0, 1, 2, 3) if context * replicas > 1 else (0,):
                yield model, tensor, int(sequence_parallel), context, replicas, zero, devices, vocabulary


def verified(cli, plan, data):
    model, tensor, sequence_parallel, context, replicas, zero, devices, vocabulary = plan
    command = [cli, "verify", "--json", *MODELS[model], *SIZES, "--tensor", tensor, "--context", context, "--replicas", replicas,
               "--zero", zero, "--devices", devices, "--vocabulary", vocabulary]
    if tensor > 1:
        command.append("--sequence-parallel" if sequence_parallel else "--no-sequence-parallel")
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "STAGELENS_DATA_DIR": data, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode == 2:
        return "refused", "", done.stderr.strip().splitlines()[0]
    if done.returncode not in (0, 1) or not done.stdout:
        return "failed", "", (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    answer = json.loads(done.stdout)
    return "holds" if answer["holds"] and done.returncode == 0 else "differs", answer["worst_relative_error"], ""


def print_table(rows):
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault((row["model"], row["tensor"], row["context"]), []).append(row)
    print("| model | t | c | plans | hold | refused | differ or fail | worst error |\n|---|---|---|---|---|---|---|---|")
    for (model, tensor, context), group in groups.items():
        count = collections.Counter(row["result"] for row in group)
        errors = [float(row["error"]) for row in group if row["error"]]
        worst = f"{max(errors):.1e}" if errors else ""
        print(f"| {model} | {tensor} | {context} | {len(group)} | {count['holds']} | {count['refused']} | "
              f"{count['differs'] + count['failed']} | {worst} |")
    count = collections.Counter(row["result"] for row in rows)
    worst = max((row for row in rows if row["error"]), key=lambda row: float(row["error"]), default=None)
    print(f"\n{len(rows)} plans: " + ", ".join(f"{number} {result}" for result, number in count.most_common()))
    if worst:
        print("worst: " + ", ".join(f"{name} {worst[name]}" for name in COLUMNS[:8]) + f": {float(worst['error']):.2e}")
    for message, number in collections.Counter(row["message"] for row in rows if row["message"]).most_common():
        print(f"{number} x {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli", type=Path, help="the program stagelens-cli")
    parser.add_argument("results", type=Path, help="CSV file, continued if it exists")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    known = {}
    if options.results.exists():
        with options.results.open(newline="") as file:
            known = {tuple(row[name] for name in COLUMNS[:8]): row for row in csv.DictReader(file)}
    plans = [plan for plan in combinations() if tuple(map(str, plan)) not in known]
    with options.results.open("a", newline="") as file, tempfile.TemporaryDirectory() as data, \
            ThreadPoolExecutor(options.jobs) as pool:
        writer = csv.writer(file)
        if not known:
            writer.writerow(COLUMNS)
        answers = pool.map(lambda plan: (plan, verified(options.cli, plan, data)), plans)
        for number, (plan, answer) in enumerate(answers, start=len(known) + 1):
            writer.writerow([*plan, *answer])
            file.flush()
            known[tuple(map(str, plan))] = dict(zip(COLUMNS, [*map(str, plan), *map(str, answer)]))
            if sys.stderr.isatty():
                print(f"\r{number} ", end="", file=sys.stderr)
    rows = [known[tuple(map(str, plan))] for plan in combinations()]
    print_table(rows)
    sys.exit(any(row["result"] in ("differs", "failed") for row in rows))


if __name__ == "__main__":
    main()
