import pytest

from shop import InvoiceError, Line


def test_closed_invoice_refuses_lines(filled):
    filled.close()
    with pytest.raises(InvoiceError):
        filled.add(Line("Late", quantity=1))


def test_total(filled):
    assert filled.total() == 12
