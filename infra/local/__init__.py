"""The whole backend in one process, for playing and testing: moto, the handlers, a WebSocket gateway.

`python -m infra.local` runs it; `infra.local.stack.LocalStack` is what tests use.
"""
