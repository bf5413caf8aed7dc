"""Fits what reads lazy edits to edits whose results are known: `python -m fastedit.training.alignment`.

    cases      edits with known results: from files of records, or cut from changes
    wordings   the classifier of comments (comments.npz)
    weights    the weights of the search (weights.json)
    network    the networks that tell right from wrong
    idle       words that say nothing of an edit, for networks to pass over
    certainty  how much its readings are to be trusted (certainty.npz, changes.npz, certainty.json)

The results lie in `fastedit/anchor/lazy`, with `fitted.json`, which says how each of them came about.
"""
