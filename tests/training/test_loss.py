from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from fastedit.training.loss import CHUNK, linear_cross_entropy


def test_same_as_cross_entropy_of_all_logits():
    torch.manual_seed(0)
    num_rows, width, vocabulary = CHUNK + 37, 12, 50
    hidden, head = torch.randn(num_rows, width, requires_grad=True), torch.randn(vocabulary, width, requires_grad=True)
    targets = torch.randint(vocabulary, (num_rows,))
    loss, is_right = linear_cross_entropy(hidden, head, targets)
    (3 * loss).backward()
    own = hidden.grad, head.grad
    hidden.grad = head.grad = None
    logits = hidden @ head.T
    expected = cross_entropy(logits, targets, reduction="sum")
    (3 * expected).backward()
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(own[0], hidden.grad)
    torch.testing.assert_close(own[1], head.grad, rtol=1e-4, atol=1e-4)
    assert torch.equal(is_right, logits.argmax(-1) == targets)


def test_a_frozen_head_gets_no_gradient():
    hidden, head = torch.randn(5, 4, requires_grad=True), torch.randn(7, 4)
    loss, _ = linear_cross_entropy(hidden, head, torch.arange(5))
    loss.backward()
    assert hidden.grad is not None
    assert head.grad is None


def test_no_gradients_are_made_where_none_are_asked_for():
    hidden, head = torch.randn(5, 4, requires_grad=True), torch.randn(7, 4)
    with torch.no_grad():
        loss, _ = linear_cross_entropy(hidden, head, torch.arange(5))
    assert not loss.requires_grad
