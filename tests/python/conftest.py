"""Builds what the tests drive, once."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def libraries():
    """The folder with the freshly built libraries."""
    subprocess.run([ROOT / "scripts/build-library"], check=True, capture_output=True)
    return ROOT / "build/lib"


@pytest.fixture(scope="session")
def library(libraries):
    """Path of libneedle.so."""
    return libraries / "libneedle.so"


@pytest.fixture(scope="session")
def audio_library(libraries):
    """Path of libneedle-audio-abi.so: the form of the interface from engine 3.1 on."""
    return libraries / "libneedle-audio-abi.so"


@pytest.fixture(scope="session")
def demo_archive():
    return ROOT / "demo/needle3-demo.cact"
