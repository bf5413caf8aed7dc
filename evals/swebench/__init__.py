"""Whether the tests of a repository still pass after its edits were applied: SWE-bench instances, run locally.

    instances     tasks in the SWE-bench schema, from JSONL, parquet or the Hub
    git, trees    working copies of local clones, made without writing into the clone
    edits, gold   what is to be applied: an agent's answers, or the gold patch as an assistant would write it
    appliers      fastedit in this process, or a server
    recipes       how a repository is installed and tested, as data
    environments  virtual environments, built once for each recipe
    sandbox       commands with limits of time, memory and network (launcher runs inside)
    logs          what test runners print → which test passed
    tests_run     a tree's tests, really run
    evaluate      one instance from checkout to verdict
    results       verdicts on disk: appended one by one, so that a run that was killed goes on
    runner        many instances side by side
    summary       tables and the last line; report: the same as JSON and as a page
    options       the command line; setup: a run put together from it
    demo          instances made from the standard library and its own tests

Run `python -m evals.swebench --help`.
"""
