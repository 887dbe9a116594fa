"""Loads this checkout as the package `kata`, whatever its folder is called, and sets how much hypothesis tries."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures that tests noted with `record_property(what, (which, number))`, those of one kind in a line, with their sum."""
    figures: dict[str, list[tuple[str, Any]]] = {}
    for report in terminalreporter.stats.get("passed", ()):
        for what, (which, number) in getattr(report, "user_properties", ()):
            figures.setdefault(what, []).append((which, number))
    for what, found in sorted(figures.items()):
        total = f" = {sum(number for _, number in found)}" if len(found) > 1 and all(isinstance(number, int) for _, number in found) else ""
        terminalreporter.write_line(f"{what}: {'; '.join(f'{which} {number}' for which, number in sorted(found))}{total}")
