#!/usr/bin/env python3
"""Kills a rank of an MPI run of two devices, two tensor ranks and two replicas at a random moment, many times, and says how long
the other seven took to end, what they printed and what the database says. The moments are between the start of the last process
and --span seconds later, so that they fall into the start, the first step, the steps after it and their checkpoints. Each run
with a checkpoint is resumed, in even rounds over MPI and in odd ones on threads, and its losses are compared with those of a run
that was not disturbed. Results are added to a CSV file line by line; a second call with that file adds the rounds that are
missing. Linux only. The exit status is 1 if a process outlives --patience or crashes, a run ends without a reason, or a resumed one differs."""
import argparse
import collections
import csv
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CRASHED = "another process crashed"
COLUMNS = ["round", "rank", "after_s", "ended_s", "status", "reason", "checkpoint", "resumed"]
RANKS = 8
PLAN = ["--devices", "2", "--tensor", "2", "--replicas", "2", "--zero", "1", "--vocabulary", "vocab-1", "--clip", "1", "--layers",
        "2", "--hidden", "32", "--heads", "2", "--sequence", "16", "--vocabulary-size", "64", "--microbatches", "4"]
STEPS_AFTER = 3  # of a resumed run


def children_of(parent):
    """The ranks below mpirun: process by number of the rank."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) != parent:
                continue
            environment = dict(part.split("=", 1) for part in (entry / "environ").read_text().split("\0") if "=" in part)
            found[int(environment["OMPI_COMM_WORLD_RANK"])] = int(entry.name)
        except (OSError, KeyError, ValueError):
            continue  # it has ended, or is no rank yet
    return found


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def stored_end(cli, database, environment):
    done = subprocess.run([cli, "runs", "list", "--json", "--db", database], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    runs = json.loads(done.stdout or "[]")
    runs = runs.get("runs", []) if isinstance(runs, dict) else runs
    return (runs[-1].get("status", ""), runs[-1].get("reason") or "") if runs else ("not stored", "")


def over_mpi(cli):
    return ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(RANKS), cli, "run", "--transport", "mpi"]


class Undisturbed:
    """The losses of a run on threads, as many as were asked for so far."""

    def __init__(self, cli):
        self.cli = cli
        self.losses = []

    def first(self, steps):
        if len(self.losses) < steps:
            with tempfile.TemporaryDirectory() as data:
                done = subprocess.run([self.cli, "run", "--json", "--mode", "live", "--db", f"{data}/runs.db", *PLAN, "--steps",
                                       str(2 * steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
            self.losses = json.loads(done.stdout)["losses"]
        return self.losses[:steps]


def newest_checkpoint(database):
    folders = Path(f"{database}.checkpoints/run-1").glob("step-*")
    return max((int(folder.name.removeprefix("step-")) for folder in folders), default=0)


def outcome_of_resume(cli, number, database, environment, undisturbed):
    """Resumes run 1 and says whether it has the losses of a run that was not disturbed."""
    steps = newest_checkpoint(database) + STEPS_AFTER
    start = over_mpi(cli) if number % 2 == 0 else [cli, "run", "--mode", "live"]
    done = subprocess.run([*start, "--json", "--db", database, "--resume", "1", "--steps", str(steps)], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return "failed: " + " ".join(done.stderr.split())
    document = json.loads(done.stdout)
    if document["run"]["resumed_steps"] != steps - STEPS_AFTER or "damaged" in done.stderr:
        return "not from the newest: " + " ".join(done.stderr.split())
    where = "over MPI" if number % 2 == 0 else "on threads"
    return f"equal {where}" if document["losses"] == undisturbed.first(steps) else f"differs {where}"


def one_round(cli, number, random_numbers, undisturbed, options):
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "STAGELENS_DATA_DIR": data, "OPENBLAS_NUM_THREADS": "1"}
        database = f"{data}/runs.db"
        command = [*over_mpi(cli), "--db", database, *PLAN, "--steps", "1000000", "--checkpoint-every", str(options.every)]
        run = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        ranks = {}
        while len(ranks) < RANKS and run.poll() is None:
            ranks = children_of(run.pid)
            time.sleep(0.01)
        if len(ranks) < RANKS:
            sys.exit(f"mpirun did not start {RANKS} processes: {run.communicate()[1]}")
        rank, after = random_numbers.randrange(RANKS), random_numbers.uniform(0, options.span)
        time.sleep(after)
        os.kill(ranks[rank], signal.SIGKILL)
        killed = time.monotonic()
        while any(map(is_running, ranks.values())) and time.monotonic() < killed + options.patience:
            time.sleep(0.01)
        ended = time.monotonic() - killed
        for process in filter(is_running, ranks.values()):
            os.kill(process, signal.SIGKILL)
        text = run.communicate()[1]
        status, reason = stored_end(cli, database, environment)
        if not reason:
            marks = ["run is not stored", "before the run was stored", "ended unexpectedly", "noticed that process"]
            lines = [line.strip() for mark in marks for line in text.splitlines() if mark in line]
            reason = " / ".join(dict.fromkeys(lines))
        if "Process received signal" in text:  # Open MPI's handler of faults
            reason = f"{CRASHED} / {reason}"
        checkpoint = newest_checkpoint(database)
        resumed = outcome_of_resume(cli, number, database, environment, undisturbed) if checkpoint > 0 else ""
        return dict(zip(COLUMNS, [number, rank, f"{after:.2f}", f"{ended:.2f}", status, reason, checkpoint, resumed]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli", help="the program stagelens-cli")
    parser.add_argument("results", type=Path, help="CSV file, continued if it exists")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--span", type=float, default=4, help="seconds after the start in which a rank is killed")
    parser.add_argument("--patience", type=float, default=10, help="seconds that the others may take to end")
    parser.add_argument("--every", type=int, default=3, help="steps between two checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    undisturbed = Undisturbed(options.cli)
    rows = []
    if options.results.exists():
        with options.results.open(newline="") as file:
            rows = list(csv.DictReader(file))
    with options.results.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not rows:
            writer.writeheader()
        for number in range(len(rows), options.rounds):
            rows.append(one_round(options.cli, number, random.Random(1000 * options.seed + number), undisturbed, options))
            writer.writerow(rows[-1])
            file.flush()
    ended = [float(row["ended_s"]) for row in rows]
    print(f"{len(rows)} runs, the others ended after {statistics.median(ended):.2f} s (median), {max(ended):.2f} s at most")
    print("stored as: " + ", ".join(f"{count} {status}" for status, count in
                                    collections.Counter(row["status"] for row in rows).most_common()))
    print("resumed: " + ", ".join(f"{count} {outcome or 'without a checkpoint'}" for outcome, count in
                                  collections.Counter(row["resumed"] for row in rows).most_common()))
    others = [row for row in rows if row["rank"] != "0" and row["rank"] != 0 and row["status"] != "not stored"]
    named = [row for row in others if row["status"] == "failed" and f"process {row['rank']} (pid" in row["reason"]]
    print(f"of {len(others)} stored runs that lost another process than 0, {len(named)} name it as the reason")
    bad = [row for row in rows if not row["reason"] or CRASHED in row["reason"] or float(row["ended_s"]) >= options.patience or
           (row["resumed"] and not row["resumed"].startswith("equal"))]
    for row in bad:
        print("without a reason, a crash, too late or resumed to other losses: " + json.dumps(row))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
