#!/usr/bin/env python3
"""Compares the machine code of the GPU kernels whose speed depends on it with golden files, one for each architecture.

    sass.py [--write] NVCC

Needs nvcc, and no GPU. Ends with status 1 where a kernel differs or uses local memory, and 77 (skipped) without nvcc. With
another compiler than that of the golden files only local memory is checked. --write writes them anew."""
import collections
import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FILES = ["attention/forward", "attention/backward", "softmax", "softmax_parts", "layernorm", "optimizers/adamw", "experts/products"]
# By compute capability: the warps that a multiprocessor can hold (CUDA C++ Programming Guide, "Compute Capabilities").
ARCHITECTURES = {"80": 64, "90": 64, "100": 64, "120": 48}
REGISTERS = 65536  # of a multiprocessor; a warp takes them in units of 256
# The low 12 bits of an instruction of 128 bits, on all four architectures; compared with cuobjdump -sass 13.5.
OPCODES = {0x23C: "HMMA", 0x83B: "LDSM", 0xFAE: "LDGSTS", 0x981: "LDG", 0x986: "STG", 0xB1D: "BAR", 0x983: "LDL", 0x387: "STL"}
HEAD = """\
# {compiler}, sm_{architecture}. Written by tests/sass/sass.py --write NVCC; other compilers are not compared.
#
# regs   registers of a thread; 255 is the most
# warps  that the registers let a multiprocessor hold, of {most}; fewer hide less latency
# HMMA   products on tensor cores; each has a fixed amount of work, so more of them is more work
# LDSM   loads of matrices for HMMA from shared memory; LDS would take several for each
# LDGSTS copies from global to shared memory that do not wait
# LDG, STG, BAR  loads and stores of global memory, barriers
# LDL and STL, which are registers spilled to memory, must not occur.
# A line that changes is no fault as such: measure before and after (bench --backend cuda --kernels-only), then write anew.
"""


class Cubin:
    """The sections of an ELF file for a GPU."""

    def __init__(self, data):
        self.data = data
        (offset,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        self.names = [self.text(self.headers[names][4] + header[0]) for header in self.headers]

    def text(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode()

    def sections(self, prefix):
        for name, header in zip(self.names, self.headers):
            if name.startswith(prefix):
                yield name[len(prefix) :], self.data[header[4] : header[4] + header[5]], header

    def symbols(self):
        _, table, header = next(self.sections(".symtab"))
        strings = self.headers[header[6]][4]
        return [self.text(strings + struct.unpack_from("<I", table, at)[0]) for at in range(0, len(table), 24)]

    def registers(self):
        """By kernel: attributes 0x2f of .nv.info, a symbol and its number of registers."""
        symbols, counts = self.symbols(), {}
        for name, info, _ in self.sections(".nv.info"):
            at = 0
            while name == "" and at + 4 <= len(info):
                form, attribute, size = struct.unpack_from("<BBH", info, at)
                if form == 4 and attribute == 0x2F:
                    symbol, number = struct.unpack_from("<II", info, at + 4)
                    counts[symbols[symbol]] = number
                at += 4 + (size if form == 4 else 0)
        return counts


def measured(nvcc, file, architecture):
    """Returns (kernel, registers, counts of instructions) of the file's kernels; nothing if nvcc is too old for the GPU."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "kernels.cubin"
        command = [nvcc, "-std=c++20", f"-I{ROOT}", "--expt-relaxed-constexpr", "-O3", "-DNDEBUG", f"-arch=sm_{architecture}",
                   "-cubin", "-o", str(out), str(ROOT / "kernels" / "cuda" / f"{file}.cu")]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if "Unsupported gpu architecture" in made.stderr:
            return None
        if made.returncode != 0:
            sys.exit(f"{file}.cu for sm_{architecture} does not compile:\n{made.stderr}")
        cubin = Cubin(out.read_bytes())
    registers, kernels = cubin.registers(), []
    for name, code, _ in cubin.sections(".text."):
        counts = collections.Counter(struct.unpack_from("<Q", code, at)[0] & 0xFFF for at in range(0, len(code), 16))
        kernels.append((name, registers[name], {word: counts[opcode] for opcode, word in OPCODES.items()}))
    return kernels


def plain(names):
    """Names as in the source, without what is equal in all of them, and without parameters."""
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    text = text.replace("(anonymous namespace)::", "").replace("stagelens::kernels::gpu::", "").replace("stagelens::kernels::", "")
    return [re.sub(r"^void ", "", re.sub(r"\(.*", "", line)) for line in text.splitlines()]


def table(architecture, most, kernels, compiler):
    words = [word for word in OPCODES.values() if word not in ("LDL", "STL")]
    lines = [HEAD.format(compiler=compiler, architecture=architecture, most=most)]
    lines.append(f"{'kernel':44}{'regs':>6}{'warps':>6}" + "".join(f"{word:>8}" for word in words) + "\n")
    rows = sorted(zip(plain([name for name, _, _ in kernels]), kernels))
    for name, (_, registers, counts) in rows:
        warps = min(most, REGISTERS // (-(-registers * 32 // 256) * 256))
        lines.append(f"{name:44}{registers:6}{warps:6}" + "".join(f"{counts[word]:8}" for word in words) + "\n")
    return "".join(lines)


def main():
    writes = "--write" in sys.argv
    nvcc = sys.argv[-1]
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print(f"skipped: {nvcc} cannot be run; install nvcc")
        return 77
    compiler = "nvcc " + re.search(r"V([\d.]+)", said).group(1)
    faults, isCompared = 0, True
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        jobs = {(architecture, file): pool.submit(measured, nvcc, file, architecture)
                for architecture in ARCHITECTURES for file in FILES}
    for architecture, most in ARCHITECTURES.items():
        results = [jobs[architecture, file].result() for file in FILES]
        if None in results:
            print(f"{compiler} knows no sm_{architecture}: left out")
            continue
        kernels = [kernel for kernels in results for kernel in kernels]
        for name, _, counts in kernels:
            if counts["LDL"] + counts["STL"] > 0:
                print(f"sm_{architecture}: {plain([name])[0]} uses local memory: {counts['LDL']} LDL, {counts['STL']} STL")
                faults += 1
        golden = HERE / "golden" / f"sm_{architecture}.txt"
        now = table(architecture, most, kernels, compiler)
        if writes:
            golden.write_text(now)
            continue
        expected = golden.read_text()
        if not expected.startswith(f"# {compiler},"):
            isCompared = False
            continue
        for before, after in zip(expected.splitlines(), now.splitlines()):
            if before != after:
                print(f"{golden.name}:\n  expected {before}\n  now      {after}")
                faults += 1
        if len(expected.splitlines()) != len(now.splitlines()):
            print(f"{golden.name} has other kernels than the sources; write it anew")
            faults += 1
    if not isCompared:
        print(f"{compiler} is not that of the golden files: only local memory was checked")
    return 1 if faults else 0


sys.exit(main())
