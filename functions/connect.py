"""Route `$connect`: everybody may connect; who they are is asked by `hello`, since nothing can be sent from here."""

from typing import Any


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return {"statusCode": 200}
