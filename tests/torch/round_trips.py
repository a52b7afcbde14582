"""Carries schedules from Stagelens to PyTorch's pipelining and back, with the PyTorch of the Python that runs this.

    PYTHON tests/torch/round_trips.py build/dev/stagelens-cli [--write FOLDER]

For every family that PyTorch's CSV can say, and several sizes:
1. PyTorch loads the compute_only file, and dumps it unchanged;
2. what PyTorch lowers it to is the compute_comms file that Stagelens writes for this version, and with messages alone it
   passes PyTorch's simulator;
3. PyTorch loads that compute_comms file as such, and dumps it unchanged;
4. Stagelens reads both dumps, finds them valid and exports them unchanged.
Then PyTorch's own schedules go through Stagelens in the same way. `--write` stores PyTorch's dumps of those, which the tests
in tests/golden/torch are made of. The last line counts what was done; exit status 1: a difference, which is printed.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch.distributed.pipelining import schedules

IS_EARLY = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2]) < (2, 15)
# Devices and microbatches. Families that need others say so, and are tried with these anyway.
SIZES = [(2, 4), (3, 7), (4, 8), (4, 12)]


class Stage:
    """What a schedule asks of a stage before it runs."""

    def __init__(self, group_size, num_stages, group_rank=0, stage_index=0):
        self.group_size = group_size
        self.num_stages = num_stages
        self.group_rank = group_rank
        self.stage_index = stage_index
        self.group = None
        self.has_backward = False
        self.is_first = stage_index == 0
        self.is_last = stage_index == num_stages - 1
        self.submod = None


class Trips:
    def __init__(self, cli, folder, write):
        self.cli = cli
        self.folder = folder
        self.write = write
        self.count = 0
        self.families = set()
        self.failures = []

    def stagelens(self, *words):
        """Standard output of a command, or nothing where its input is refused."""
        done = subprocess.run([self.cli, *words], capture_output=True, text=True, cwd=self.folder)
        if done.returncode not in (0, 2):
            raise SystemExit(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout if done.returncode == 0 else None

    def expect(self, what, found, wanted):
        self.count += 1
        if found != wanted:
            self.failures.append(what)
            print(f"DIFFERS: {what}\n--- found\n{found}\n--- wanted\n{wanted}", file=sys.stderr)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def dump(self, schedule, kind):
        path = self.folder / "dump.csv"
        schedule._dump_csv(str(path), kind)
        # csv.writer ends lines as spreadsheets do.
        return path.read_bytes().decode().replace("\r\n", "\n")

    def load(self, text, devices, stages, microbatches, kind):
        schedule = schedules._PipelineScheduleRuntime([Stage(devices, stages)], microbatches)
        schedule._load_csv(self.file("load.csv", text), kind)
        return schedule

    def back(self, what, text):
        """Stagelens reads a file of PyTorch's and writes it again."""
        name = self.file("back.csv", text)
        self.expect(what + ", validate", self.stagelens("validate", "--schedule-file", name) is not None, True)
        # A spreadsheet's quotes say nothing.
        quoted = "".join(",".join(f'"{cell}"' for cell in line.split(",")) + "\r\n" for line in text.splitlines())
        for source in (name, self.file("quoted.csv", quoted)):
            again = self.stagelens("export", "--format", "torch-csv", "--schedule-file", source, "--uniform", "F=1,B=2")
            self.expect(what + ", Stagelens writes it again", again, text)

    def family(self, family, plan):
        words = ["--schedule", family, "--uniform", "F=1,I=1,W=1,B=2", *plan]
        only = self.stagelens("export", "--format", "torch-csv", *words)
        if only is None:
            return
        what = " ".join([family, *plan])
        self.families.add(family)
        devices, stages, microbatches = shape(only)
        comms = [*words, "--format", "torch-csv", "--torch-version", "2.14" if IS_EARLY else "2.15"]
        full = self.stagelens("export", *comms, "--comms")
        messages = self.stagelens("export", *comms, "--comms=messages")

        schedule = self.load(only, devices, stages, microbatches, "compute_only")
        self.expect(what + ", compute_only", self.dump(schedule, "compute_only"), only)
        lowered = self.dump(schedule, "compute_comms")
        self.expect(what + ", lowered", settled(lowered), settled(full))
        for text in (full, messages):
            loaded = self.load(text, devices, stages, microbatches, "compute_comms")
            self.expect(what + ", compute_comms", self.dump(loaded, "compute_comms"), text)
        if "OVERLAP" not in messages:
            loaded._simulate()  # raises where the messages dead-lock
            self.count += 1
        self.back(what + ", compute_only of PyTorch", only)
        self.back(what + ", compute_comms of PyTorch", lowered)

    def own(self, name, chunks, devices, microbatches):
        """A schedule that PyTorch makes itself."""
        kind = schedules.get_schedule_class(name)
        what = f"{name} {devices}x{microbatches}"
        local = [Stage(devices, devices * chunks, 0, stage) for stage in own_stages(name, chunks, devices)]
        schedule = kind(local, microbatches, loss_fn=lambda output, target: 0)
        for form in ("compute_only", "compute_comms"):
            text = self.dump(schedule, form)
            self.back(f"{what}, {form}", text)
            if self.write:
                version = "2.14" if IS_EARLY else "2.15"
                target = self.write / f"pytorch-{version}-{name}-{devices}x{microbatches}-{form}.csv"
                target.write_text(text)
        # Its passes, lowered by Stagelens, are what it is lowered to by PyTorch.
        only = self.file("own.csv", self.dump(schedule, "compute_only"))
        lowered = self.stagelens("export", "--format", "torch-csv", "--schedule-file", only, "--uniform", "F=1,B=2", "--comms",
                                 "--torch-version", "2.14" if IS_EARLY else "2.15")
        self.expect(what + ", lowered by Stagelens", settled(lowered), settled(self.dump(schedule, "compute_comms")))


def own_stages(name, chunks, devices):
    """The stages of rank 0."""
    if name in ("ZBVZeroBubble", "DualPipeV"):
        return [0, 2 * devices - 1]
    return range(0, devices * chunks, devices)


def shape(text):
    """Devices, stages and microbatches of a compute_only file."""
    rows = text.splitlines()
    cells = [part for row in rows for cell in row.split(",") for part in cell.replace("(", "").split(")")[0].split(";") if part]
    split = [cell.replace("I", "F").replace("W", "F").replace("B", "F").split("F") for cell in cells]
    return len(rows), 1 + max(int(stage) for stage, _ in split), 1 + max(int(number) for _, number in split)


def settled(text):
    """Up to 2.14, stages that are resharded at once go in the hash order of a Python set: any order is as good."""
    if not IS_EARLY:
        return text
    rows = []
    for line in text.splitlines():
        row = []
        group = []
        for cell in line.split(","):
            if cell.endswith("RESHARD"):
                group.append(cell)
                continue
            row += sorted(group) + [cell]
            group = []
        rows.append(row + sorted(group))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trips = Trips(given.cli.resolve(), pathlib.Path(folder), given.write)
        listed = json.loads(trips.stagelens("list", "schedules", "--json"))
        for family in (entry["name"] for entry in listed):
            for devices, microbatches in SIZES:
                trips.family(family, ["--devices", str(devices), "--microbatches", str(microbatches)])
            for more in (["--chunks", "4"], ["--chunks", "3"], ["--waves", "2"], ["--group-size", "2"]):
                trips.family(family, ["--devices", "4", "--microbatches", "8", *more])
        for name, chunks in (("LoopedBFS", 2), ("Interleaved1F1B", 2), ("InterleavedZeroBubble", 2), ("ZBVZeroBubble", 2),
                             ("DualPipeV", 2)):
            trips.own(name, chunks, 2, 4)
            trips.own(name, chunks, 4, 8)
    print(f"PyTorch {torch.__version__}: {trips.count} comparisons, {len(trips.families)} families "
          f"({', '.join(sorted(trips.families))}), {len(trips.failures)} differences")
    sys.exit(1 if trips.failures else 0)


main()
