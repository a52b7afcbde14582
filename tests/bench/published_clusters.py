#!/usr/bin/env python3
"""Scores predictions of whole clusters against published measurements.

    tests/bench/published_clusters.py build/release/stagelens-cli ROWS.csv [--jobs 2]

ROWS.csv has a line for each measured run, with the columns source, layers, hidden, heads, kv_heads, ffn, seq, vocab, gpus, t,
cp, p, v, d, microbatch, global_batch, recompute, sp, hardware and iteration_s. For each cluster and software stack a few
constants of a hardware file are fitted to its rows, fewer than a third as many as rows and at most five. A row is then
predicted with the constants fitted to the other rows. Prints the errors by source, with the rows that are not scored and why.
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

# What these stacks have: fused elementwise kernels, and messages between stages that tensor ranks split (arXiv 2104.04473,
# section 4.1; DeepSpeed, runtime/pipe/engine.py). Counted, not fitted.
SOFTWARE = {"fused_kernels": 1, "split_messages": 1}

# What is fitted, in this order, with its value at the start as a multiple of the preset's.
CONSTANTS = ["matrix_efficiency", "memory_bytes_per_second", "inside", "between", "kernel_gap_us"]
GAP_US = 50  # the gap for a factor of e: presets have none to multiply

# source: (stack, family, ZeRO, other options). A stack's rows share their constants.
MEGATRON = ["--attention", "materialised"]
SOURCES = {
    "ptdp-t1": ("Megatron-LM 2021", "gpt", 0, MEGATRON),
    "ptdp-t2-ptd": ("Megatron-LM 2021", "gpt", 0, MEGATRON),
    "korth-t5": ("Megatron-LM 2021", "gpt", 0, MEGATRON),
    "bigscience-a": ("Megatron-DeepSpeed", "gpt", 1, MEGATRON),
    "bigscience-b": ("Megatron-DeepSpeed", "gpt", 1, MEGATRON),
    "bigscience-c": ("Megatron-DeepSpeed", "gpt", 1, MEGATRON),
    "bigscience-d": ("Megatron-DeepSpeed", "gpt", 1, MEGATRON),
    "foundry-zero2": ("llm-foundry, {hardware}", "gpt", 3, ["--zero3", "keep-until-backward"]),
    "foundry-zero3": ("llm-foundry, {hardware}", "gpt", 3, ["--zero3", "reshard"]),
}
NOT_SCORED = {
    "mt-nlg": "another software stack, with one row",
    "ptdp-t2-zero3": "another software stack, with three rows",
    "megascale-baseline": "recomputation not printed",
    "megatron-h100": "microbatch size and chunks not printed",
    "llama3-t4": "microbatch size and chunks not printed",
    "titan-fsdp": "one row of its stack", "titan-2d": "one row of its stack", "titan-cp": "fp8",
    "titan-2d-asynctp": "asynchronous tensor parallelism", "titan-3d-interleaved": "fp8", "titan-4d-1f1b": "fp8",
    "fms-fsdp": "three rows of two clusters", "fms-hsdp": "three rows of two clusters",
    "hf-playbook-dp": "shape not printed", "hf-playbook-tp": "shape not printed",
    "korth-t4-layer-forward": "one layer, not a step", "korth-t4-layer-backward": "one layer, not a step",
}
# stack: name and description of its hardware file, and GiB of a GPU. A stack without constants has none.
FILES = {
    "Megatron-LM 2021": ("megatron-2021", "Selene, DGX A100 with 8 HDR adapters, Megatron-LM of 2021 and 2022", 80),
    "Megatron-DeepSpeed": ("megatron-deepspeed-2022", "Jean Zay, A100 with 4 adapters of 100 Gb/s a node, Megatron-DeepSpeed of 2022", 80),
    "llm-foundry, h100-80": ("llm-foundry-h100", "H100 SXM, llm-foundry with FSDP", 80),
    "llm-foundry, a100-40-1600g": ("llm-foundry-a100-40gb", "A100 40 GB with 1600 Gb/s a node, llm-foundry with FSDP", 40),
}
PRESETS = {"a100": "a100-80gb", "h100": "h100-sxm"}


def options_of(row, stack):
    """Returns the options of the row's plan."""
    _, family, zero, other = stack
    chunks = int(row["v"] or 1)
    schedule = ["--schedule", "interleaved-1f1b", "--chunks", str(chunks)] if chunks > 1 else ["--schedule", "1f1b"]
    parallel = ["--tensor", row["t"], "--context", row["cp"], "--devices", row["p"], "--replicas", row["d"],
                "--microbatch-size", row["microbatch"], "--global-batch", row["global_batch"]]
    if int(row["t"]) > 1:
        parallel += ["--sequence-parallel" if row["sp"] == "1" else "--no-sequence-parallel"]
    if zero and int(row["d"]) > 1:
        parallel += ["--zero", str(zero)]
    attention = [each for each in other if int(row["d"]) > 1 or not each.startswith("--zero")]
    if zero == 3 and int(row["d"]) == 1:
        attention = [each for each in attention if each != "reshard"]
    return ["--family", family, "--layers", row["layers"], "--hidden", row["hidden"], "--heads", row["heads"], "--sequence",
            row["seq"], "--vocabulary-size", row["vocab"], "--tied", "--dtype", "fp16" if row["dtype"] == "fp16" else "bf16", "--recompute",
            row["recompute"] or "none"] + parallel + schedule + attention


class Stack:
    """The rows of a cluster and software stack, and predictions of them."""

    def __init__(self, name, rows, arguments, folder):
        self.name = name
        self.rows = rows
        self.cli = arguments.cli
        self.folder = folder
        self.base = PRESETS[rows[0]["hardware"][:4]]
        self.preset = json.loads(subprocess.run([self.cli, "hardware", self.base], check=True, capture_output=True).stdout)
        self.count = min(5, (len(rows) - 1) // 3)
        self.pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
        self.number = itertools.count()
        self.measured = [math.log(float(row["iteration_s"])) for row in rows]

    def file_of(self, factors):
        """Returns a hardware file whose constants are multiples of the preset's."""
        by_name = dict(zip(CONSTANTS, factors))
        inside = by_name.get("inside", 1)
        hardware = {"stagelens": "hardware/1", "name": "fitted", "base": self.base, **SOFTWARE, "collectives": []}
        for name in ("matrix_efficiency", "memory_bytes_per_second"):
            hardware[name] = self.preset[name] * by_name.get(name, 1)
        hardware["kernel_gap_us"] = max(0, GAP_US * math.log(by_name.get("kernel_gap_us", 1)))
        for table in self.preset.get("collectives", []):
            scale = inside if table.get("nodes", 1) == 1 else by_name.get("between", 1)
            hardware["collectives"].append({**table, "microseconds": [each / scale for each in table["microseconds"]]})
        for link, name in (("inside_node", "inside"), ("between_nodes", "between")):
            rate = self.preset[link]["bytes_per_second"] * by_name.get(name, 1)
            hardware[link] = {**self.preset[link], "bytes_per_second": rate}
        path = pathlib.Path(self.folder) / f"{next(self.number)}.json"
        path.write_text(json.dumps(hardware))
        return str(path)

    def write(self, folder, factors):
        """Writes the hardware file with these constants into a folder for users, with 4 digits."""
        name, description, capacity = FILES[self.name]
        fitted = json.loads(pathlib.Path(self.file_of(factors)).read_text(), parse_float=lambda text: float(f"{float(text):.4g}"))
        fitted |= {"name": name, "description": description, "memory_capacity_bytes": capacity << 30}
        path = pathlib.Path(folder) / f"{name}.json"
        text = json.dumps({key: fitted[key] for key in ("stagelens", "name", "description", *list(fitted)[2:])}, indent=2)
        in_one_line = re.sub(r"\[[0-9.,\s]+\]", lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text)
        path.write_text(re.sub(r"\.0\b(?!\d)", "", in_one_line) + "\n")

    def predict(self, factors, places=None):
        """Returns the logarithms of the predicted seconds."""
        hardware = self.file_of(factors)

        def one(place):
            row = self.rows[place]
            command = [self.cli, "simulate", "--json", "--hardware", hardware] + options_of(row, SOURCES[row["source"]])
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{row['source']} {row['model']}: {done.stderr.strip()}")
            return math.log(json.loads(done.stdout)["metrics"]["iteration_ns"] / 1e9)
        return list(self.pool.map(one, range(len(self.rows)) if places is None else places))

    def slopes(self, logs):
        """Returns the predictions and their derivatives by the logarithm of each constant."""
        step = 0.02
        here = self.predict([math.exp(each) for each in logs])
        columns = []
        for place in range(len(logs)):
            moved = [math.exp(each + (step if at == place else 0)) for at, each in enumerate(logs)]
            columns.append([(there - was) / step for there, was in zip(self.predict(moved), here)])
        return here, columns

    def fit(self):
        """Fits the constants by damped least squares. Returns them, the predictions and the derivatives there."""
        logs = [0.0] * self.count
        for _ in range(8):
            here, columns = self.slopes(logs)
            change = step_of(columns, [m - h for m, h in zip(self.measured, here)], logs, range(len(self.rows)))
            logs = [each + max(-0.5, min(0.5, by)) for each, by in zip(logs, change)]
        here, columns = self.slopes(logs)
        return logs, here, columns

    def errors(self):
        """Returns the constants and, for each row, its error in the fit and when it is left out."""
        logs, here, columns = self.fit()
        residuals = [m - h for m, h in zip(self.measured, here)]
        fitted = [math.exp(-each) - 1 for each in residuals]
        left_out = []
        for place in range(len(self.rows)):
            others = [each for each in range(len(self.rows)) if each != place]
            change = step_of(columns, residuals, logs, others)
            there = self.predict([math.exp(each + by) for each, by in zip(logs, change)], [place])[0]
            left_out.append(math.exp(there - self.measured[place]) - 1)
        return [math.exp(each) for each in logs], fitted, left_out


def step_of(columns, residuals, logs, places):
    """Returns the change of the constants that fits the residuals of some rows; constants that the rows do not tell stay near
    the preset's."""
    count = len(columns)
    stiffness = 0.05 ** 2  # an error of 5 % weighs as much as a constant that is e times the preset's
    matrix = [[sum(columns[i][r] * columns[j][r] for r in places) + (stiffness if i == j else 0) for j in range(count)] +
              [sum(columns[i][r] * residuals[r] for r in places) - stiffness * logs[i]] for i in range(count)]
    for i in range(count):
        pivot = max(range(i, count), key=lambda each: abs(matrix[each][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for other in range(count):
            if other != i:
                by = matrix[other][i] / matrix[i][i]
                matrix[other] = [a - by * b for a, b in zip(matrix[other], matrix[i])]
    return [matrix[i][count] / matrix[i][i] for i in range(count)]


def tau(predicted, measured):
    """Returns Kendall's rank correlation."""
    pairs = list(itertools.combinations(range(len(measured)), 2))
    return sum(1 if (predicted[a] - predicted[b]) * (measured[a] - measured[b]) > 0 else -1 for a, b in pairs) / len(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("rows")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", metavar="FOLDER", help="also write the hardware file fitted to all rows of each stack")
    parser.add_argument("--each", action="store_true", help="also print every row")
    arguments = parser.parse_args()
    with open(arguments.rows, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    stacks = {}
    skipped = {}
    for row in rows:
        source = row["source"]
        if source not in SOURCES:
            skipped[source] = skipped.get(source, 0) + 1
            continue
        stacks.setdefault(SOURCES[source][0].format(**row), []).append(row)
    print(f"{'source':18}{'rows':>5}{'median':>9}{'worst':>9}{'tau':>7}   in the fit: median, worst")
    with tempfile.TemporaryDirectory() as folder:
        for name, its in stacks.items():
            stack = Stack(name, its, arguments, folder)
            constants, fitted, left_out = stack.errors()
            if arguments.write and name in FILES:
                stack.write(arguments.write, constants)
            print(f"{name}: " + ", ".join(f"{what} {GAP_US * math.log(by):.0f}" if what == "kernel_gap_us" else f"{what} x {by:.2f}"
                                          for what, by in zip(CONSTANTS, constants)))
            for source in dict.fromkeys(row["source"] for row in its):
                places = [place for place, row in enumerate(its) if row["source"] == source]
                errors = [abs(left_out[place]) for place in places]
                within = [abs(fitted[place]) for place in places]
                measured = [stack.measured[place] for place in places]
                predicted = [stack.measured[place] + math.log(1 + left_out[place]) for place in places]
                order = f"{tau(predicted, measured):7.2f}" if len(places) >= 5 else " " * 7
                print(f"  {source:16}{len(places):5}{statistics.median(errors):9.1%}{max(errors):9.1%}{order}"
                      f"   {statistics.median(within):.1%}, {max(within):.1%}", flush=True)
                for place in places if arguments.each else []:
                    row = its[place]
                    print(f"    {row['model']:24} t{row['t']} p{row['p']} d{row['d']} b{row['microbatch']:3} {row['recompute']:9}"
                          f"{row['iteration_s']:>8} s {left_out[place]:+8.1%} {fitted[place]:+8.1%}")
    for source, count in skipped.items():
        print(f"not scored: {source}, {count} rows: {NOT_SCORED.get(source, 'unknown source')}")


if __name__ == "__main__":
    main()
