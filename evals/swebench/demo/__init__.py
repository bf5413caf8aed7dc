"""Instances from real code that every Python has: modules of the standard library with their own tests.

subjects   which modules, and where their tests are
mutations  bugs put into real code; the gold patch takes them out again
making     repositories, base commits and patches; which tests tell is found by running them
"""

from evals.swebench.demo.making import make_demo
from evals.swebench.demo.subjects import DemoError

__all__ = ["DemoError", "make_demo"]
