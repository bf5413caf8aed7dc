"""Settings for the whole suite."""

import os

from hypothesis import HealthCheck, settings

# The machine that runs the suite may be busy: a deadline that only a real slowdown misses.
settings.register_profile("default", deadline=2000, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
