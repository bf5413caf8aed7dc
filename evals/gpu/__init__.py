"""Measurements that need a GPU: see QUEUE.md."""
