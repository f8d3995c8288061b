"""The whole backend in one process, for playing and testing.

Tables in memory, the handlers, moto for the state machines, and a WebSocket gateway.

`python -m infra.local` runs it; `infra.local.stack.LocalStack` is what tests use.
"""
