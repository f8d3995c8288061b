"""What an invocation is about: ids that each line it writes bears, so that one query tells a tournament's story.

They lead from a player's message to the execution that it started (named by the tournament, or by the player and the
epoch) and on to the lines of the functions that this calls. No word, nickname, token or invite is an id.
"""

from typing import Any

from aws_lambda_powertools import Logger

logger = Logger()


def begin(**ids: Any) -> None:
    """A new invocation: what the one before was about is forgotten."""
    logger.thread_safe_clear_keys()
    about(**ids)


def about(**ids: Any) -> None:
    """This invocation is about these too; what is None is left out, and what was said first stays."""
    known = logger.thread_safe_get_current_keys()
    if (duel_id := ids.get("duel_id")) is not None:
        # <tournament>.<round>.<number>
        ids.setdefault("tournament_id", str(duel_id).partition(".")[0])
    logger.thread_safe_append_keys(
        **{name: value for name, value in ids.items() if value is not None and name not in known}
    )


def ids() -> dict[str, Any]:
    """What this invocation is about so far."""
    return dict(logger.thread_safe_get_current_keys())
