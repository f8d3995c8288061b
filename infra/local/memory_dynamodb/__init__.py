"""DynamoDB's tables in memory, at the wire: exact, atomic and quick, for tests and for the one-process stack.

`MemoryDynamoDB.request` takes the JSON that botocore sends and returns the JSON that DynamoDB would answer. It knows
the operations that this project uses; another operation or parameter is refused, never ignored.
tests/local/test_memory_dynamodb.py holds it to moto, and lists where moto differs from AWS.
"""

from infra.local.memory_dynamodb.database import Answer, MemoryDynamoDB, Snapshot

__all__ = ["Answer", "MemoryDynamoDB", "Snapshot"]
