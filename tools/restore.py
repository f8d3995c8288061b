"""`python -m tools.restore`: copy a table that AWS has restored from a backup into the one that a stack uses.

    python -m tools.restore --stack wordle-tournament-prod --from players-restored
    python -m tools.restore --stack wordle-tournament-prod --from players-restored --key p0123456789abcdef0123

A backup is always restored to a new table (docs/runbook.md, "Backup and restore"). Items that the stack's table has
already are left as they are, so that an interrupted copy can be repeated; `--overwrite` puts the older ones in
their place. Expired items are not brought back.
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tools.admin import cloudformation_client

Item = Mapping[str, Any]
"""An item in the form of DynamoDB's low-level client: `{"player_id": {"S": "p..."}}`."""

WRITERS = 16
"""The number of items that are written at the same time."""


class Failed(Exception):
    """The copy was not done, or only in part; the text says why, and what to do."""


@dataclass
class Copied:
    """The numbers of items that were written, existed already, and had expired."""

    written: int = 0
    kept: int = 0
    expired: int = 0

    def __add__(self, other: "Copied") -> "Copied":
        return Copied(self.written + other.written, self.kept + other.kept, self.expired + other.expired)


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says. Return 0 if all was copied, 1 if not."""
    asked = _parser().parse_args(argv)
    console = Console(stderr=True)
    try:
        dynamodb, target = table_of(asked.stack, asked.table, asked.region)
        keys = [key["AttributeName"] for key in _checked(dynamodb, asked.source, target)]
        if not asked.yes:
            _confirm(asked.source, target, overwrite=asked.overwrite)
        copied = copy(dynamodb, asked.source, target, keys[0], asked.key, overwrite=asked.overwrite, console=console)
    except Failed as failure:
        print(f"Not done: {failure}", file=sys.stderr)
        return 1
    except (ClientError, BotoCoreError) as error:
        print(f"Not done, or not all: {error} When the cause is gone, give it again.", file=sys.stderr)
        return 1
    print(f"{copied.written} written, {copied.kept} were there already, {copied.expired} had expired")
    return 0


def table_of(stack: str, logical_id: str, region: str | None) -> tuple[Any, str]:
    """Return a client of DynamoDB, and the name of the stack's table. Raise Failed, ClientError and BotoCoreError."""
    import boto3
    from botocore.config import Config

    found = cloudformation_client(region).describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
    resource = found["StackResourceDetail"]
    if resource["ResourceType"] != "AWS::DynamoDB::Table":
        raise Failed(f"{logical_id} of {stack} is no table but an {resource['ResourceType']}.")
    # On-demand tables throttle while they grow: wait for that rather than stop half-way.
    config = Config(retries={"mode": "adaptive", "max_attempts": 20}, max_pool_connections=WRITERS)
    return boto3.client("dynamodb", region_name=region, config=config), resource["PhysicalResourceId"]


def _checked(dynamodb: Any, source: str, target: str) -> list[dict[str, str]]:
    if source == target:
        raise Failed(f"{source} is the stack's own table; say which one was restored.")
    schemas = [dynamodb.describe_table(TableName=name)["Table"]["KeySchema"] for name in (source, target)]
    if schemas[0] != schemas[1]:
        raise Failed(f"{source} has other keys than {target}: it was not restored from this kind of table.")
    return list(schemas[1])


def copy(
    dynamodb: Any, source: str, target: str, key: str, only: str | None, *, overwrite: bool, console: Console
) -> Copied:
    """Copy all items, or the item whose `key` is `only`, and show progress. Raise ClientError and BotoCoreError."""
    if only is not None:
        item = dynamodb.get_item(TableName=source, Key={key: {"S": only}}, ConsistentRead=True).get("Item")
        if item is None:
            raise Failed(f"{source} has no {only}.")
        return _put(dynamodb, target, key, item, overwrite=overwrite)
    # DynamoDB counts a table's items every few hours: an estimate of the total, for the progress bar only.
    total = dynamodb.describe_table(TableName=source)["Table"]["ItemCount"] or None
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress, ThreadPoolExecutor(WRITERS) as pool:
        bar = progress.add_task(f"{source} -> {target}", total=total)

        def put(item: Item) -> Copied:
            return _put(dynamodb, target, key, item, overwrite=overwrite)

        copied = Copied()
        for page in dynamodb.get_paginator("scan").paginate(TableName=source, ConsistentRead=True):
            copied = sum(pool.map(put, page["Items"]), copied)
            progress.advance(bar, len(page["Items"]))
        return copied


def _put(dynamodb: Any, target: str, key: str, item: Item, *, overwrite: bool) -> Copied:
    if int(item.get("expires_at", {}).get("N", "0") or 0) and int(item["expires_at"]["N"]) <= time.time():
        return Copied(expired=1)
    unless_present = {} if overwrite else {"ConditionExpression": "attribute_not_exists(#k)"}
    names = {} if overwrite else {"ExpressionAttributeNames": {"#k": key}}
    try:
        dynamodb.put_item(TableName=target, Item=item, **unless_present, **names)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return Copied(kept=1)
    return Copied(written=1)


def _confirm(source: str, target: str, *, overwrite: bool) -> None:
    if not sys.stdin.isatty():
        raise Failed(f"nobody can confirm writing into {target} here; say --yes.")
    what = "put in place of newer ones" if overwrite else "added where they are missing"
    print(f"Items of {source} are {what} in {target}.", file=sys.stderr)
    print("Do it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failed("you did not say yes.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.restore", description="Copy a restored table into the one that a stack uses."
    )
    parser.add_argument("--stack", metavar="NAME", required=True, help="the deployed CloudFormation stack")
    parser.add_argument("--from", metavar="TABLE", required=True, dest="source", help="the table that was restored")
    parser.add_argument("--table", default="PlayersTable", help="the stack's table, as in the template (PlayersTable)")
    parser.add_argument("--key", metavar="ID", help="this item only")
    parser.add_argument("--overwrite", action="store_true", help="also where the stack's table has a newer one")
    parser.add_argument("--region", help="where that is (default: as the AWS CLI would)")
    parser.add_argument("--yes", action="store_true", help="do not ask first")
    return parser


if __name__ == "__main__":
    sys.exit(main())
