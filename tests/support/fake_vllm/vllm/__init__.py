"""A package of vLLM's name whose server is the stand-in: for tests of what starts and watches it."""
