"""One session and one client of each kind for all that a process does, made when a function starts."""

import runpy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.session import Session
from pynamodb.connection import TableConnection

from infra.local.template import ROOT
from infra.local.testing import World
from wordle_tournament import aws, push, timers
from wordle_tournament.entry import make_clients
from wordle_tournament.store import connection, records

Made = Counter[str]
MODELS = [model for model in vars(records).values() if isinstance(model, type) and issubclass(model, connection.Record)]
ALL = {"dynamodb": 1, "apigatewaymanagementapi": 1, "stepfunctions": 2}


@pytest.fixture
def made(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """The sessions and clients that our code makes from now on, as in a process that has just started."""
    count: Made = Counter()
    begin, create = Session.__init__, Session.create_client

    def begun(self: Session, *args: Any, **kwargs: Any) -> None:
        count["session"] += 1
        begin(self, *args, **kwargs)

    def created(self: Session, service: str, *args: Any, **kwargs: Any) -> Any:
        count[service] += 1
        return create(self, service, *args, **kwargs)

    monkeypatch.setattr(Session, "__init__", begun)
    monkeypatch.setattr(Session, "create_client", created)
    for model in MODELS:
        monkeypatch.setattr(model, "_connection", None)
    for module in (aws, connection, push, timers):
        module.reset()
    yield count
    for module in (aws, connection, push, timers):
        module.reset()


def test_every_table_is_called_by_the_one_client_of_the_one_session(made: Made) -> None:
    """Fails when PynamoDB no longer asks `Model._get_connection`, `Connection.client` and `Connection.session`."""
    assert len(MODELS) > 9
    clients = {id(model._get_connection().connection.client) for model in MODELS if model is not connection.Record}
    assert len(clients) == 1
    assert made == {"session": 1, "dynamodb": 1}


def test_a_tables_keys_are_those_of_its_own_model(made: Made) -> None:
    """Kinds that share a table have their own columns: only one of them has its index."""
    lobby, recent = records.LobbyRecord._get_connection(), records.RecentLobbiesRecord._get_connection()
    assert lobby.table_name == recent.table_name
    assert sorted(_indexes(lobby)) == ["open", "waiting"]
    assert _indexes(recent) == []


def _indexes(table: TableConnection) -> list[str]:
    return [index["IndexName"] for index in table.get_meta_table().data["GlobalSecondaryIndexes"]]


def test_the_messages_of_a_game_make_no_client_that_its_functions_do_not_make_at_their_start(
    world: World, made: Made
) -> None:
    make_clients()
    assert made == {"session": 1, **ALL}
    world.tournament()
    assert {service: made[service] for service in ALL} == ALL


def test_push_and_timers_make_their_clients_from_the_same_session(made: Made) -> None:
    push.make_client()
    timers.make_clients()
    connection.make_client()
    assert made == {"session": 1, **ALL}


@pytest.mark.parametrize(
    ("name", "services"),
    [
        ("gateway", {"apigatewaymanagementapi"}),
        ("player", {"apigatewaymanagementapi", "dynamodb"}),
        *((name, set(ALL)) for name in ("account", "duel", "group", "lobby", "machines", "presence", "sweeper")),
    ],
)
def test_a_function_makes_the_clients_of_its_routes_at_its_start(made: Made, name: str, services: set[str]) -> None:
    runpy.run_path(str(ROOT / "functions" / f"{name}.py"))
    assert made == {"session": 1, **{service: ALL[service] for service in services}}
