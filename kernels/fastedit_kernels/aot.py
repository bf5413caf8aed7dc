"""Compile every shipped kernel without a GPU, and say what it takes: registers, spills, shared memory, wgmma.

    python -m fastedit_kernels.aot                  the table; exit status 1 where a kernel breaks a limit
    python -m fastedit_kernels.aot --write FOLDER   also as aot_table.md
    python -m fastedit_kernels.aot --quick          one build of every tile, the one with the most work in it

Needs a process of its own: where the interpreter is on, nothing can be compiled.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from fastedit_kernels.builds import Build, fullest_builds, shipped_builds

SHARED_LIMIT = {80: 163 * 1024, 90: 227 * 1024}  # bytes that one program may have
TABLE_NAME = "aot_table.md"


@dataclass(frozen=True, slots=True)
class Compiled:
    """What one build takes; the rest is zero where it can't be compiled."""

    kernel: str
    variant: str
    arch: int
    registers: int
    stack_bytes: int
    shared_bytes: int
    warps: int
    wgmma: bool
    problem: str = ""


def compiled(build: Build) -> Compiled:
    """The build's resources, with what is wrong about them, if anything."""
    signature = {name: "constexpr" if name in build.constants else build.types[name] for name in build.kernel.arg_names}
    # As the launcher finds the arguments; without it loads are neither wide nor fit for the copy engine.
    aligned = {
        (i,): [["tt.divisibility", 16]]
        for i, name in enumerate(build.kernel.arg_names)
        if signature[name].startswith("*") or name in build.aligned
    }
    source = ASTSource(fn=build.kernel, signature=signature, constexprs=build.constants, attrs=aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", build.arch, 32), options=build.options)
    registers, stack = _resources(kernel.asm["cubin"])
    found = Compiled(
        build.kernel.__name__, build.variant, build.arch, registers, stack, kernel.metadata.shared,
        kernel.metadata.num_warps, "wgmma" in kernel.asm["ptx"],
    )  # fmt: skip
    return replace(found, problem=_problem(found, build.needs_wgmma))


def compiled_all(builds: Iterable[Build]) -> Iterator[Compiled]:
    """The same for many; one that can't be compiled is a problem like others."""
    for build in builds:
        try:
            yield compiled(build)
        except (RuntimeError, triton.CompilationError) as error:
            problem = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            yield Compiled(build.kernel.__name__, build.variant, build.arch, 0, 0, 0, 0, False, problem)


def _resources(cubin: bytes) -> tuple[int, int]:
    """(registers a thread, stack bytes a thread); whatever has a stack spills, since no kernel indexes registers."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        usage = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return max(map(int, re.findall(r"REG:(\d+)", usage))), max(map(int, re.findall(r"STACK:(\d+)", usage)))


def _problem(found: Compiled, needs_wgmma: bool) -> str:
    if found.stack_bytes:
        return f"spills {found.stack_bytes} bytes"
    if found.shared_bytes > SHARED_LIMIT[found.arch]:
        return f"needs {found.shared_bytes} bytes of shared memory"
    if needs_wgmma and not found.wgmma:
        return "no wgmma"
    return ""


def markdown(rows: list[Compiled]) -> str:
    lines = [
        f"Triton {triton.__version__}, bf16, a 7B model's shapes. By `python -m fastedit_kernels.aot --write kernels`.",
        "",
        "| kernel | variant | sm | registers | spilled | shared KB | warps | wgmma | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.kernel} | {row.variant} | {row.arch} | {row.registers} | {row.stack_bytes} "
        f"| {row.shared_bytes / 1024:.0f} | {row.warps} | {'yes' if row.wgmma else ''} | {row.problem} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", type=Path, metavar="FOLDER")
    what.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    if triton.knobs.runtime.interpret:
        parser.error("TRITON_INTERPRET is set: nothing can be compiled in this process")
    rows = list(compiled_all(fullest_builds() if options.quick else shipped_builds()))
    table = markdown(rows)
    print(table, end="")
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / TABLE_NAME).write_text(table)
    problems = sum(bool(row.problem) for row in rows)
    print(f"compiled={len(rows)} spilled={sum(row.stack_bytes > 0 for row in rows)} problems={problems}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
