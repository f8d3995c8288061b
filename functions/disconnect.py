"""Route `$disconnect`: the connection has ended (R28). API Gateway delivers this at best."""

from typing import Any

from wordle_tournament.play.disconnect import lose_connection


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    lose_connection(event["requestContext"]["connectionId"])
    return {"statusCode": 200}
