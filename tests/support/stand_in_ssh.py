#!/usr/bin/env python3
"""Stands in for ssh: runs the command on this machine, through pipes as sshd does.

Environment: STAND_IN_LOG appends the arguments to a file. STAND_IN_CUT=BYTES:CUT_OUT ends without the command after so many
bytes of its output, as a lost connection does (the command keeps running). STAND_IN_FREEZE=BYTES stops forwarding both ways
after so many bytes, says so by a file LOG.frozen, and keeps the pipes open. STAND_IN_FAIL=TEXT prints TEXT and exits with 255. STAND_IN_NOISE=TEXT prints
TEXT first, as a login shell does.
"""
import os
import subprocess
import sys
import threading
import time

arguments = sys.argv[1:]
if "STAND_IN_LOG" in os.environ:
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        log.write("\0".join(arguments) + "\n")
if "STAND_IN_FAIL" in os.environ:
    sys.stderr.write(os.environ["STAND_IN_FAIL"] + "\n")
    sys.exit(255)
if "--" not in arguments or len(arguments) != arguments.index("--") + 3:
    sys.exit("usage: [options] -- host command")
cut = int(os.environ.get("STAND_IN_CUT", "-1"))
freeze = int(os.environ.get("STAND_IN_FREEZE", "-1"))
os.write(1, os.environ.get("STAND_IN_NOISE", "").encode())
# A session of its own: what ends this program does not end the command.
command = subprocess.Popen(["/bin/sh", "-c", arguments[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           start_new_session=True, bufsize=0)
isFrozen = threading.Event()
parent = os.getppid()


def forwardInput():
    while True:
        block = os.read(0, 65536)
        while isFrozen.is_set():
            time.sleep(1)
        try:
            if not block:
                command.stdin.close()
                return
            os.write(command.stdin.fileno(), block)
        except OSError:
            return


threading.Thread(target=forwardInput, daemon=True).start()
total = 0
while True:
    block = os.read(command.stdout.fileno(), 65536)
    if not block:
        break
    if 0 <= cut <= total + len(block):
        os.write(1, block[: cut - total])
        os._exit(255)
    total += len(block)
    if 0 <= freeze <= total:
        isFrozen.set()
        open(os.environ["STAND_IN_LOG"] + ".frozen", "w").close()
        while os.getppid() == parent:
            time.sleep(0.1)
        os._exit(255)
    try:
        os.write(1, block)
    except OSError:
        os._exit(255)
sys.exit(command.wait())
