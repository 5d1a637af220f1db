"""Builds what the tests drive, once."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def library():
    """Path of a freshly built libneedle.so."""
    subprocess.run([ROOT / "scripts/build-library"], check=True, capture_output=True)
    return ROOT / "build/lib/libneedle.so"


@pytest.fixture(scope="session")
def demo_archive():
    return ROOT / "demo/needle3-demo.cact"
