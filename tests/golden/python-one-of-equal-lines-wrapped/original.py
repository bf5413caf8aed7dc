import warnings


def test_many_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("this one", UserWarning)
        warnings.warn("the other", RuntimeWarning)
        warnings.warn("this one", UserWarning)
        warnings.warn("the other", RuntimeWarning)
        warnings.warn("the other", RuntimeWarning)
    assert len(caught) == 5
