"""ApplyBench: edits as assistants really write them, each with the exact files that a careful reader gets.

    records  what a case is, and reading the splits
    check    what makes a record fit to be in the benchmark
    build    folders of cases → the splits
    pairs    two releases of a package → originals and results
    score    ways of applying edits, measured on a split
    curves   what a claimed certainty is worth, as figures and as a picture
    peers    other tools, each in an environment of its own
    runner   what is run in such an environment; it knows nothing of this package

Run `python -m evals.applybench --help`; README.md is the data card.
"""
