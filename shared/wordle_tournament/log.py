"""The ids of the current invocation, in each of its log lines, so that one query tells a tournament's story.

They lead from a player's message to the execution that it started (named after the tournament, or after the player
and the epoch) and on to the lines of the functions that it calls. No word, nickname, token or invite is an id.
"""

from typing import Any

from aws_lambda_powertools import Logger

logger = Logger()


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
