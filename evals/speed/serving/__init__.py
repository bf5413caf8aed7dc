"""The pieces of `evals.speed.serve`: requests, a client that sends them on time, and a service under test."""
