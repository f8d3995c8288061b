"""The ids of the current invocation, in each of its log lines, so that one query tells a tournament's story.

They lead from a player's message to the execution that it started (named after the tournament, or after the player
and the epoch) and on to the lines of the functions that it calls. No word, nickname, token or invite is an id.
"""

import logging
import os
from typing import Any

from aws_lambda_powertools import Logger

LIBRARIES = ("boto3", "botocore", "pynamodb", "urllib3")
"""The libraries below us. At DEBUG they print whole requests: words, tokens, frames."""

logger = Logger()


def keep_to_level() -> None:
    """Write nothing below `LogLevel`, by this logger or its children, and of the libraries nothing below INFO.

    Powertools sets each logger's level to that of Lambda's filter, AWS_LAMBDA_LOG_LEVEL (its guide, Logger, "Advanced
    Logging Controls"), which has to let INFO pass: metrics are lines without a level and count as INFO there. So the
    level is set on the handler, which all of our loggers share.
    """
    level = logging.getLevelName(os.environ.get("POWERTOOLS_LOG_LEVEL", "INFO").upper())
    if not isinstance(level, int):
        level = logging.INFO
    logger.registered_handler.setLevel(level)
    for library in LIBRARIES:
        logging.getLogger(library).setLevel(max(level, logging.INFO))


keep_to_level()


def begin(**ids: Any) -> None:
    """Begin a new invocation with these ids, and drop those of the one before."""
    logger.thread_safe_clear_keys()
    about(**ids)


def about(**ids: Any) -> None:
    """Add ids to this invocation. None is left out, and an id that is set already stays."""
    known = logger.thread_safe_get_current_keys()
    if (duel_id := ids.get("duel_id")) is not None:
        # <tournament>.<round>.<number>
        ids.setdefault("tournament_id", str(duel_id).partition(".")[0])
    logger.thread_safe_append_keys(
        **{name: value for name, value in ids.items() if value is not None and name not in known}
    )


def ids() -> dict[str, Any]:
    """Return the ids of this invocation so far."""
    return dict(logger.thread_safe_get_current_keys())
