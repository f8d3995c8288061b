"""Small helpers of tests: words, secrets in texts, errors of AWS, and moves at the same time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from botocore.exceptions import ClientError

from wordle_tournament import words


def wrong(duel: Mapping[str, Any], but: Iterable[str] = ()) -> str:
    """A word that may be guessed in the duel and does not solve it, nor is one of `but`."""
    taken = {duel["word"], *but}
    return next(word for word in words.guesses(duel["language"], len(duel["word"])) if word not in taken)


def holds(text: str, secret: str) -> bool:
    """Whether the secret is in the text, in letters or as JSON escapes them.

    Only for what cannot be there by chance: tokens, and words of a language in whose letters nothing else is written.
    """
    return secret in text.casefold() or json.dumps(secret)[1:-1] in text


def client_error(code: str, operation: str, status: int = 400) -> ClientError:
    """An error as AWS would answer."""
    answer: Any = {
        "Error": {"Code": code, "Message": "made by a test"},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "r"},
    }
    return ClientError(answer, operation)


def at_once(*moves: Callable[[], Any]) -> list[Any]:
    """Do all of it at once, each in a thread; what each returned, or the exception it raised."""
    barrier = threading.Barrier(len(moves))

    def run(move: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return move()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(moves)) as pool:
        return list(pool.map(run, moves))
