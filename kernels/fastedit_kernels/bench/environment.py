"""What this machine is: versions, device, driver. `python -m fastedit_kernels.bench.environment`."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import torch

PACKAGES = ("torch", "triton", "numpy", "transformers", "tokenizers", "safetensors", "matplotlib")


def lines() -> list[str]:
    """One fact a line."""
    found = [f"python {platform.python_version()} on {platform.platform()}"]
    found += [f"{package} {_version(package)}" for package in PACKAGES]
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        found.append(
            f"{properties.name}: {properties.multi_processor_count} multiprocessors, "
            f"{properties.total_memory / 2**30:.0f} GiB, capability {properties.major}.{properties.minor}"
        )
        found.append(f"cuda {torch.version.cuda}; {_smi()}")
    else:
        found.append("no GPU")
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _smi() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem,power.limit", "--format=csv"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return f"nvidia-smi: {error}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
