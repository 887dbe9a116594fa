"""Loads this checkout as the package `kata`, whatever its folder is called, and sets how much hypothesis tries."""

import importlib.util
import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parent.parent
EXAMPLES = int(os.environ.get("KATA_EXAMPLES", "100"))
"""Hypothesis examples for each law; `scripts/test.py` chooses and prints the number. Few are always the same, many are drawn anew."""


def load_package() -> None:
    """Bring the root `__init__.py` in by its path, as Hermes does."""
    root = importlib.util.spec_from_file_location("kata", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)])
    assert root is not None and root.loader is not None
    package = importlib.util.module_from_spec(root)
    sys.modules["kata"] = package
    root.loader.exec_module(package)


settings.register_profile(
    "kata", max_examples=EXAMPLES, derandomize=EXAMPLES <= 200, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kata")
load_package()
