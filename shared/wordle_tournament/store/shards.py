"""The partitions over which the sparse indexes are spread, since one takes about 1,000 writes a second.

An item's partition follows from its id and the setting `shards`. A reader of everything looks into MOST_SHARDS
partitions, whatever the setting says, so that it can be changed under play: an item stays where its last write put it.
"""

from zlib import crc32

from ..config import settings

MOST_SHARDS = 8
"""The highest value of the setting."""


def shard_of(item_id: str) -> int:
    """Return the number of the item's partition, from 0."""
    return crc32(item_id.encode()) % settings().shards


def partition(name: str, shard: int) -> str:
    """Return the key of a partition. The first has the plain name, as all items had in 1.0.0."""
    return f"{name}.{shard}" if shard else name
