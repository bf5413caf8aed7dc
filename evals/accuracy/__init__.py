"""How often the result is right: on the apply cases, and on generated edits with known truth.

    outcomes     what can come of an edit, as data
    cases        the apply cases, scored file by file
    generated    edits made by fastedit.training.synthesis, scored in one process or several
    segments     which segments of an alignment are right
    reliability  what a certainty is worth
    mine         the same for the real changes of git histories
    peers        git apply and patch beside fastedit, on unified diffs
    lookup       the target alone, with prompt look-up, beside fastedit, on lazy edits
    compare      what the last two share
    report       tables, JSON, the last line

Run `python -m evals.accuracy --help`.
"""
