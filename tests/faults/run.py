#!/usr/bin/env python3
"""Faults of files, disks, locks and processes: whatever fails, a finished run stays as it was and the person learns why.

tests/faults/run --long    every operation of every command, and 1,000 kills
tests/faults/run           a sample with a fixed seed, as CI runs it; with --stride 1 every operation

Each command runs under a library (shim.cpp, LD_PRELOAD) that fails its N-th operation on a file below the working folder, once
or for good, for every N up to the number of operations that the command does. After each the caller looks at the exit status,
the message, the runs that were finished before, and what was to be written.
"""
import argparse
import filecmp
import json
import mmap
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAN = ("--layers 2 --hidden 16 --heads 2 --sequence 8 --vocabulary-size 64 --devices 2 --microbatches 2 "
        "--mode virtual-clock").split()
# What a command may end with (resources/docs/command-line.md).
DOCUMENTED = (0, 1, 2)
PATIENCE = 120  # seconds, on a busy machine and under a sanitizer
STATE = struct.Struct("ll48s464s")
# Once, or for good. A write that is cut short or interrupted is no fault: the command does its work as if nothing had been.
KINDS = (("enospc", 1), ("enospc", 0), ("eio", 1), ("eio", 0), ("eintr", 1), ("short", 1), ("short", 0), ("lock", 3))
HARMLESS = ("eintr", "short", "lock")

# name, arguments, files that it writes ({o}: the output), and the run whose rows it may change
COMMANDS = [
    ("run", ["run", *PLAN, "--steps", "2"], None),
    ("run --checkpoint-every", ["run", *PLAN, "--steps", "2", "--checkpoint-every", "1"], None),
    ("run --resume", ["run", "--resume", "1", "--steps", "4", "--checkpoint-every", "1"], None),
    ("run --dump", ["run", *PLAN, "--steps", "1", "--dump", "{w}/dump"], None),
    ("runs list", ["runs", "list"], None),
    ("runs show", ["runs", "show", "1"], None),
    ("runs rename", ["runs", "rename", "2", "other"], 2),
    ("runs tag", ["runs", "tag", "2", "slow"], 2),
    ("runs delete", ["runs", "delete", "2"], 2),
    ("runs export json", ["runs", "export", "1", "-o", "{w}/out"], None),
    ("export chrome-trace", ["export", "1", "--format", "chrome-trace", "-o", "{w}/out"], None),
    ("export torch-csv", ["export", "1", "--format", "torch-csv", "-o", "{w}/out"], None),
    ("compare", ["compare", "1", "2"], None),
    ("experiment -o", ["experiment", *PLAN, "-o", "{w}/out"], None),
    ("db check", ["db", "check"], None),
    ("simulate", ["simulate", "{w}/plan.stagelens.json", "--durations", "{w}/durations.csv"], None),
]


class Fault(Exception):
    """What does not hold."""


class Commands:
    """A prepared data folder, and commands that run in copies of it."""

    def __init__(self, build, work):
        self.program = str(Path(build) / "stagelens-cli")
        self.shim = str(Path(build) / "tests" / "libstagelens-faults.so")
        self.work = Path(work)
        self.template = self.work / "template"
        self.place = self.work / "w"
        self.state_file = self.work / "state"
        self.state_file.write_bytes(bytes(STATE.size))
        with open(self.state_file, "r+b") as file:
            self.state = mmap.mmap(file.fileno(), STATE.size)
        self.template.mkdir()
        (self.template / "out").write_text("what was there before\n")
        (self.template / "durations.csv").write_text("device,stage,pass,duration_us\n*,*,F,1000\n*,*,B,2000\n")
        self.prepare(["experiment", *PLAN, "-o", str(self.template / "plan.stagelens.json")])
        for _ in range(2):
            self.prepare(["run", *PLAN, "--steps", "3", "--checkpoint-every", "1"])
        self.finished = {run: rows_of(self.template / "data/runs.db", run) for run in (1, 2)}

    def environment(self, data):
        environment = dict(os.environ, STAGELENS_DATA_DIR=str(data))
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"
        return environment

    def prepare(self, arguments):
        done = subprocess.run([self.program, *arguments], env=self.environment(self.template / "data"), cwd=self.template,
                              capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{arguments}: {done.stderr.decode()}")

    def refresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.template, self.place)

    def start(self, arguments, before=None, **plan):
        words = [self.program, *(word.format(w=self.place) for word in arguments)]
        environment = self.environment(self.place / "data")
        if plan:
            self.state[:] = bytes(STATE.size)
            environment.update({f"STAGELENS_FAULT_{key.upper()}": str(value) for key, value in plan.items()},
                               STAGELENS_FAULT_UNDER=str(self.place), STAGELENS_FAULT_STATE=str(self.state_file),
                               LD_PRELOAD=self.shim)
        return subprocess.Popen(words, env=environment, cwd=self.place, preexec_fn=before, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, arguments, **plan):
        """Exit status, output and messages."""
        process = self.start(arguments, **plan)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Fault(f"did not end within {PATIENCE} s") from None
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def seen(self):
        """Operations counted, operations failed, and the first of those with its file."""
        count, failed, operation, path = STATE.unpack(self.state[:])
        return count, failed, operation.split(b"\0")[0].decode(), path.split(b"\0")[0].decode()


def rows_of(database, run):
    """All rows of a run, in every table."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        if connection.execute("pragma integrity_check").fetchall() != [("ok",)]:
            raise Fault("the database is damaged")
        rows = {}
        for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [each[1] for each in connection.execute(f'pragma table_info("{table}")')]
            key = "id" if table == "run" else "run" if "run" in columns else None
            if key is not None:
                rows[table] = sorted(connection.execute(f'select * from "{table}" where {key} = ?', (run,)).fetchall(), key=repr)
        if not rows.get("run"):
            raise Fault(f"run {run} is gone")
        return rows
    finally:
        connection.close()


def same_tree(one, other):
    """Whether two folders hold the same files with the same bytes."""
    files = sorted(path.relative_to(one) for path in one.rglob("*"))
    return files == sorted(path.relative_to(other) for path in other.rglob("*")) and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in files if (one / name).is_file())


def check_finished(commands, changed):
    for run in (1, 2):
        if run == changed:
            continue
        if rows_of(commands.place / "data/runs.db", run) != commands.finished[run]:
            raise Fault(f"run {run}, which was finished, is another now")
        folder = f"data/runs.db.checkpoints/run-{run}"
        if not same_tree(commands.template / folder, commands.place / folder):
            raise Fault(f"the checkpoint of run {run}, which was finished, is another now")


def check_message(status, err, path):
    if status not in DOCUMENTED:
        raise Fault(f"ended with {status}")
    if status == 0:
        return
    if not err.strip():
        raise Fault("failed without a message")
    if "unexpected failure" in err or "terminate called" in err:
        raise Fault("failed without naming the cause")
    name = Path(path).name
    known = ("runs.db", "out", "dump", "step-", "part-", "plan.stagelens.json", "durations", "data")
    if name not in err and not any(word in err for word in known):
        raise Fault(f"the message names no file ({path} failed)")


def check_output(commands, status, reference, hard_unlink):
    """A file that was to be written is the new one or, after a failure, the old one."""
    out = commands.place / "out"
    content = out.read_bytes() if out.exists() else None
    old = (commands.template / "out").read_bytes()
    if status == 0 and content != reference:
        raise Fault("reported success, but the output is not what it is without a fault")
    if status != 0 and content not in (old, reference):
        raise Fault("failed, and the file that was there before is gone")
    left = [path for path in commands.place.glob("*.part*")]
    if left and not hard_unlink:
        raise Fault(f"left {left[0].name}")


def one_fault(commands, name, arguments, changed, reference, kind, times, number, looks):
    commands.refresh()
    status, out, err = commands.run(arguments, at=number, kind=kind, times=times)
    _, failed, operation, path = commands.seen()
    if failed == 0:
        return False
    try:
        check_message(status, out + err if name == "db check" else err, path)  # its faults are its result
        if kind in HARMLESS and status != 0:
            raise Fault(f"ended with {status} after what is no fault")
        check_output(commands, status, reference, kind == "eio")
        check_finished(commands, changed)
        again, _, problem = commands.run(["db", "check"]) if looks else (0, "", "")
        if again != 0:
            raise Fault(f"the database cannot be used afterwards: {problem.strip()}")
    except (Fault, sqlite3.Error) as fault:
        times_text = "for good" if times == 0 else f"{times} times"
        raise Fault(f"{name}: {kind} {times_text} at operation {number} ({operation} {path.replace(str(commands.place), '')}): "
                    f"{fault}\n    status {status}; {err.strip()[:400]}") from None
    return True


def inject(commands, options, rng):
    """Counts (faults injected) and the faults found."""
    injected, found = {}, []
    for name, arguments, changed in COMMANDS:
        if options.only and options.only not in name:
            continue
        begin = time.monotonic()
        commands.refresh()
        status, _, err = commands.run(arguments)
        if status != 0:
            raise SystemExit(f"{name}: ended with {status} without a fault: {err}")
        reference = (commands.place / "out").read_bytes()
        for kind, times in KINDS:
            for number in range(rng.randint(1, min(options.stride, 8)), sys.maxsize, options.stride):
                try:
                    # SQLite checks every database and its rows are compared; the program itself looks at a part of them.
                    looks = rng.random() < 0.25
                    if not one_fault(commands, name, arguments, changed, reference, kind, times, number, looks):
                        break  # the command does fewer operations
                except Fault as fault:
                    found.append(str(fault))
                    print(fault, flush=True)
                    if len(found) >= options.most:
                        return injected, found
                injected[name] = injected.get(name, 0) + 1
        print(f"{name}: {injected.get(name, 0)} faults injected, {time.monotonic() - begin:.0f} s", flush=True)
    return injected, found


def limit_memory(commands):
    """Every command ends by itself where there is no memory: done, or with a message."""
    steps, found = 0, []
    for kilobytes in (60_000, 80_000, 100_000, 150_000, 250_000, 400_000, 700_000):
        for arguments in (["list", "models"], ["simulate", *PLAN], ["runs", "list"], ["run", *PLAN, "--steps", "1"],
                          ["run", *PLAN[:-1], "live", "--steps", "1"], ["verify", *PLAN]):
            commands.refresh()
            limited = resource.getrlimit(resource.RLIMIT_AS)
            process = commands.start(arguments, before=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (kilobytes * 1024, limited[1])))
            steps += 1
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                found.append(f"ulimit -v {kilobytes}: {arguments[0]} does not end")
                continue
            if process.returncode == 127 and b"shared librar" in err:  # the system cannot load the program
                continue
            if process.returncode not in (0, 1) or (process.returncode == 1 and not err.strip()):
                found.append(f"ulimit -v {kilobytes}: {arguments[0]} ended with {process.returncode}: {err.decode()[:300]}")
            try:
                check_finished(commands, None)
            except Fault as fault:
                found.append(f"ulimit -v {kilobytes}: {arguments[0]}: {fault}")
    for fault in found:
        print(fault, flush=True)
    print(f"{steps} commands under limits of memory", flush=True)
    return found


def is_sanitized(program):
    return b"__asan_init" in Path(program).read_bytes()


def kill_loop(commands, options, rng):
    """SIGKILL at random times of a run with checkpoints; what is resumed gives the bytes of a run that nobody disturbed."""
    steps = 8
    plan = [*PLAN, "--steps", str(steps), "--checkpoint-every", "1"]
    commands.refresh()
    begin = time.monotonic()
    status, _, err = commands.run(["run", *plan, "--dump", "{w}/whole"])
    took = time.monotonic() - begin
    if status != 0:
        raise SystemExit(f"run: {err}")
    whole = (commands.place / "whole/model-final.safetensors").read_bytes()
    losses = json.loads((commands.place / "whole/result.json").read_text())["losses"]
    kills = resumed = 0
    commands.refresh()
    while kills < options.kills:
        process = commands.start(["run", *plan])
        time.sleep(rng.uniform(0, took))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        check_finished(commands, None)
        newest = newest_resumable(commands)
        if newest is None:
            continue
        # Another kill while it goes on, and then to the end.
        process = commands.start(["run", "--resume", str(newest), "--steps", str(steps), "--checkpoint-every", "1"])
        time.sleep(rng.uniform(0, took))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        check_finished(commands, None)
        newest = newest_resumable(commands) or newest
        shutil.rmtree(commands.place / "again", ignore_errors=True)
        status, _, err = commands.run(["run", "--resume", str(newest), "--steps", str(steps), "--dump", "{w}/again"])
        if status == 2 and "nothing" in err:
            continue
        if status != 0:
            raise Fault(f"after {kills} kills run {newest} cannot be resumed: {err.strip()}")
        resumed += 1
        if (commands.place / "again/model-final.safetensors").read_bytes() != whole:
            raise Fault(f"after {kills} kills the resumed run has other parameters than one that was not disturbed")
        if json.loads((commands.place / "again/result.json").read_text())["losses"][-1] != losses[-1]:
            raise Fault(f"after {kills} kills the resumed run has other losses than one that was not disturbed")
        if resumed % 20 == 0:
            print(f"{kills} kills, {resumed} resumed runs equal", flush=True)
            commands.refresh()
    status, _, err = commands.run(["db", "check"])
    if status != 0:
        raise Fault(f"after {kills} kills: {err}")
    return kills, resumed


def newest_resumable(commands):
    """The newest interrupted run that has left a checkpoint before its last step, or None."""
    status, out, err = commands.run(["runs", "list", "--json"])
    if status != 0:
        raise Fault(f"runs list: {err}")
    for row in sorted(json.loads(out), key=lambda each: -each["id"]):
        if row["id"] <= 2:
            return None
        folder = commands.place / f"data/runs.db.checkpoints/run-{row['id']}"
        steps = [int(path.name[5:]) for path in folder.glob("step-*")] if folder.exists() else []
        if row["status"] == "interrupted" and steps and max(steps) < 8:
            return row["id"]
        if row["status"] == "running":
            raise Fault(f"run {row['id']}, whose process was killed, counts as running")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=Path(__file__).resolve().parents[2] / "build/dev", help="folder of the programs")
    parser.add_argument("--long", action="store_true", help="every operation and 1,000 kills")
    parser.add_argument("--stride", type=int, help="fail every n-th operation only")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--only", help="commands whose name contains this")
    parser.add_argument("--most", type=int, default=50, help="stop after so many faults found")
    options = parser.parse_args()
    options.stride = options.stride or (1 if options.long else 60)
    options.kills = options.kills if options.kills is not None else 1000 if options.long else 6
    rng = random.Random(options.seed)
    print(f"seed {options.seed}, every {options.stride}. operation, {options.kills} kills", flush=True)
    # In memory, where flushing to disk takes no time: thousands of databases are written.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="stagelens-faults-", dir=memory) as work:
        commands = Commands(options.build, work)
        injected, found = inject(commands, options, rng)
        if not options.only and not is_sanitized(commands.program):  # a sanitizer takes terabytes of addresses
            found += limit_memory(commands)
        try:
            kills, resumed = (0, 0) if options.only else kill_loop(commands, options, rng)
        except Fault as fault:
            found.append(str(fault))
            print(fault, flush=True)
            kills = resumed = 0
    print(f"{sum(injected.values())} faults in {len(injected)} commands, {kills} kills, {resumed} resumed runs equal, "
          f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
