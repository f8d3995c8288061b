"""`make e2e`: the real template, deployed by the real SAM CLI into an emulator, played on, and updated under play.

The emulator (ministack) is independent of the one-process stack: its own DynamoDB, Step Functions and WebSocket
gateway, each Lambda function in a process of its own. Some things it cannot do: it ignores heartbeats, so that a turn
nobody plays never ends there (bots always move; skips are tested on the one-process stack); it reads state machines as
JSON only and no loops in a nested template, so that the built copies are converted. At last the production stage is
deployed beside it, with a domain and all that an operator can add; there the emulator lacks CodeDeploy, so that it goes
all at once, composite alarms, which are left out, and alarms on sums, which watch the first of their metrics. It exits
with 0 if everything was as the rules say.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import boto3
import yaml
from boto3.dynamodb.types import TypeDeserializer
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from bots.bot import Bot, BotProfile
from bots.referee import Recorded, read_record, violations
from infra.local import template
from infra.local.loops import written_out
from tools import restore
from tools.verify.__main__ import verify
from tools.verify.checks import CHECKS
from tools.verify.stage import Limits, Stage
from wordle_tournament.protocol.messages import TournamentChanged
from wordle_tournament_client.client import parse

ROOT = Path(__file__).resolve().parent.parent
STACK = "wordle-e2e"
PRODUCTION = "wordle-e2e-prod"
DOMAIN = "play.example.com"
ELSEWHERE = "eu-west-1"
RESTORED = "players-restored"
STAMP = "built"
"""The file of the layer that differs between builds."""
TEMPORARY = "temporary"
"""The folder in which the emulator unpacks layers."""
PLAYERS = 8
LONGEST_SECONDS = 400
ANSWERED = (
    "handshake",
    "gone-after-crash",
    "gone-after-close",
    "disconnect-after-crash",
    "disconnect-after-close",
    "push-order",
)
"""The checks of `make verify` that the emulator can answer."""
PARAMETERS = {"RoundIntroSeconds": "1", "TurnSeconds": "20"}


class Failed(Exception):
    """The run failed; the text says where, and what to look at."""


def main() -> int:
    arguments = _parser().parse_args()
    started = time.monotonic()
    work = Path(arguments.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        with emulator(arguments.ministack, work) as endpoint:
            sam = Sam(arguments.sam, work, endpoint)
            figures = asyncio.run(_prove(sam, endpoint))
    except Failed as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    for line in figures:
        print(line)
    print(f"In all {time.monotonic() - started:.0f} s.")
    return 0


async def _prove(sam: "Sam", endpoint: str) -> list[str]:
    """Deploy, play, deploy again under play, and compare with the tables. Return the figures.

    The emulator keeps everything in memory, so that its end is the tear-down (deleting the stack hangs in it).
    """
    _say("sam build: functions and the layer, for this machine (about half a minute) ...")
    built_seconds = sam.build()
    _say("sam deploy ...")
    deployed_seconds = sam.deploy(PARAMETERS)
    resources = sam.resources()
    url = f"{endpoint.replace('http', 'ws')}/_aws/execute-api/{resources['WebSocketApi']}/dev"
    _say(f"Eight bots play on {url}; the second deployment comes in round 2 ...")
    frames, updated_seconds = await _play(sam, url)
    found = violations(frames)
    if found:
        raise Failed("not as the rules say:\n  " + "\n  ".join(found))
    rounds = _compare(frames, endpoint, resources["TournamentsTable"])
    layers = sam.layers_as_built()
    record = read_record(frames)
    _say("make verify: what can be answered here ...")
    verified = await sam.verify(url)
    await asyncio.to_thread(sam.visit)
    _say("sam deploy: the production stage beside it ...")
    production_seconds = sam.deploy_production()
    _say("Production once more, in another region; and players lost and restored ...")
    elsewhere_seconds = sam.deploy_elsewhere()
    restored, restored_seconds = sam.lose_and_restore_players()
    return [
        f"Deployed in {deployed_seconds:.0f} s (built in {built_seconds:.0f} s), and again under play in "
        f"{updated_seconds:.0f} s.",
        f"Production beside it in {production_seconds:.0f} s.",
        f"The same stack in {ELSEWHERE} in {elsewhere_seconds:.0f} s; {restored} lost players were restored in "
        f"{restored_seconds:.1f} s.",
        verified,
        f"A whole tournament: {rounds} rounds, {len(record.duels)} duels, {len(frames)} frames received and checked.",
        f"No function wrote into its layer ({layers} environments), which is read-only on AWS.",
        *sam.sizes(),
    ]


async def _play(sam: "Sam", url: str) -> tuple[list[Recorded], float]:
    """Return the frames of eight bots in one tournament, and how long the deployment under play took."""
    frames: list[Recorded] = []
    second_round = asyncio.Event()

    def keep(listener: int, text: str) -> None:
        frames.append(Recorded(listener, text))
        message = parse(text)
        if isinstance(message, TournamentChanged):
            tournament = message.tournament
            if tournament.round >= 2:
                second_round.set()
            if listener == 0:
                still_in = sum(player.fate == "in" for player in tournament.players)
                _say(f"  round {tournament.round}: {'over' if tournament.over else f'{still_in} still in'}")

    async def update() -> float:
        await second_round.wait()
        before = await asyncio.to_thread(sam.versions)
        sam.stamp()
        seconds = await asyncio.to_thread(sam.deploy, {**PARAMETERS, "LogLevel": "WARN", "SyntheticUrl": url})
        after = await asyncio.to_thread(sam.versions)
        if same := sorted(name for name, version in before.items() if after[name] == version):
            raise Failed(f"the second deployment did not reach what players call: {', '.join(same)}")
        _say(f"  deployed again: new versions of {len(after)} functions")
        return seconds

    try:
        async with asyncio.timeout(LONGEST_SECONDS), asyncio.TaskGroup() as group:
            updated = group.create_task(update())
            for listener in range(PLAYERS):
                profile = BotProfile(skill=0.9, pace=(0.02, 0.05), watches=True, stays=True)
                bot = Bot(
                    url,
                    "en",
                    listener,
                    profile,
                    on_frame=lambda text, listener=listener: keep(listener, text),  # type: ignore[misc]
                )
                group.create_task(bot.play())
    except (TimeoutError, ExceptionGroup) as error:
        raise Failed(
            f"the tournament was not played to its end: {error!r} (see {sam.work / 'ministack.log'})"
        ) from error
    return frames, updated.result()


def _compare(frames: list[Recorded], endpoint: str, table: str) -> int:
    """Compare the deployed table with the frames of the players. Return the number of rounds. Raise Failed."""
    messages = [message for one in frames if isinstance(message := parse(one.text), TournamentChanged)]
    last = max((message.tournament for message in messages), key=lambda tournament: tournament.version)
    dynamodb = boto3.client("dynamodb", endpoint_url=endpoint, **_credentials())
    item = dynamodb.get_item(TableName=table, Key={"tournament_id": {"S": last.tournament_id}})["Item"]
    state = TypeDeserializer().deserialize(item["state"])
    settled = [played for played in state["rounds"] if played["results"]]
    if not last.over or state["ended_at_ms"] is None or len(settled) != last.round:
        raise Failed(f"the table has {len(settled)} rounds, the players saw {last.round}")
    entered = {entrant["player_id"] for entrant in state["entrants"]}
    if entered != {player.player_id for player in last.players}:
        raise Failed("the table has other players than those who played")
    return len(settled)


class Sam:
    """The real SAM CLI, against the emulator."""

    def __init__(self, command: str, work: Path, endpoint: str) -> None:
        self.command = str(Path(command).resolve())
        self.work = work
        self.endpoint = endpoint
        self.built = work / "built"
        self.monitoring = self.built / "Monitoring" / "template.yaml"
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "SAM_CLI_TELEMETRY": "0",
            "LAYER_FOR": "host",
        }

    def build(self) -> float:
        """Build everything. Return the seconds it took. Raise Failed."""
        seconds = self._run("build", "--build-dir", str(self.built))
        template = self.built / "template.yaml"
        text = template.read_text()
        for line in text.splitlines():
            if line.strip().startswith("DefinitionUri:"):
                uri = line.partition(":")[2].strip()
                source = (self.built / uri).resolve()
                converted = self.built / f"{source.name.partition('.')[0]}.json"
                converted.write_text(json.dumps(yaml.safe_load(source.read_text())))
                text = text.replace(uri, converted.name)
        template.write_text(text)
        monitoring = yaml_parse(self.monitoring.read_text())
        del monitoring["Transform"]
        monitoring["Resources"] = written_out(monitoring["Resources"], monitoring["Mappings"])
        self.monitoring.write_text(json.dumps(monitoring))
        return seconds

    def deploy(
        self,
        parameters: dict[str, str],
        stack: str = STACK,
        template: str = "template.yaml",
        region: str = "us-east-1",
    ) -> float:
        """Deploy, or update the deployed stack. Return the seconds it took. Raise Failed."""
        overrides = {"Stage": "dev", **parameters, "ManagementHost": f"{self.endpoint}/_aws/execute-api"}
        return self._run(
            "deploy",
            *("--region", region),
            *("--template-file", str(self.built / template), "--stack-name", stack, "--resolve-s3"),
            *("--no-confirm-changeset", "--no-progressbar"),
            *("--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND", "--language-extensions"),
            *("--parameter-overrides", " ".join(f"{name}={value}" for name, value in overrides.items())),
        )

    def visit(self) -> None:
        """Let the synthetic player visit the stage, as its schedule would. Raise Failed."""
        name = self.resources()["SyntheticFunction"]
        client = boto3.client("lambda", endpoint_url=self.endpoint, **_credentials())
        answer = client.invoke(FunctionName=f"{name}:live", Payload=b"{}")
        payload = answer["Payload"].read().decode()
        if "FunctionError" in answer or json.loads(payload) != {"answers": 7}:
            raise Failed(f"the synthetic player: {payload}")

    async def verify(self, url: str) -> str:
        """Answer the assumptions that the emulator can answer. Return a line of them. Raise Failed if one fails.

        It has no idle limit, heartbeats, throttles, reports or metrics of our own: those checks are left out.
        """
        with mock.patch.dict(os.environ, self.environment):
            limits = Limits(gone=30)
            found = await verify(Stage(url, STACK, limits=limits), [one for one in CHECKS if one in ANSWERED])
        if wrong := {name: finding for name, finding in found.items() if finding.verdict != "held"}:
            raise Failed(f"make verify: {wrong}")
        return f"Verified: {', '.join(found)}; and the synthetic player was answered."

    def deploy_production(self) -> float:
        """Deploy production as samconfig.toml has it, with a domain, into the same account. Return the seconds.

        Raise Failed, also if the deployed stack differs from what was asked for.
        """
        self._make_production()
        account = {"endpoint_url": self.endpoint, **_credentials()}
        certificate = boto3.client("acm", **account).request_certificate(DomainName=DOMAIN)["CertificateArn"]
        zone = boto3.client("route53", **account).create_hosted_zone(Name="example.com", CallerReference=STACK)
        settings = tomllib.loads((ROOT / "samconfig.toml").read_text())["prod"]["deploy"]["parameters"]
        seconds = self.deploy(
            {
                **dict(one.split("=", 1) for one in settings["parameter_overrides"].split()),
                "Rollout": "AllAtOnce",
                "AlarmEmail": "night@example.com",
                "DomainName": DOMAIN,
                "CertificateArn": certificate,
                "HostedZoneId": zone["HostedZone"]["Id"].rpartition("/")[2],
                "ColdStarts": "Provisioned",
            },
            PRODUCTION,
            "production.json",
        )
        ids = self.resources(PRODUCTION)
        (stack,) = boto3.client("cloudformation", **account).describe_stacks(StackName=PRODUCTION)["Stacks"]
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
        table = boto3.client("dynamodb", **account).describe_table(TableName=ids["PlayersTable"])["Table"]
        watching = boto3.client("cloudwatch", **account)
        dashboard = json.loads(watching.get_dashboard(DashboardName=f"{PRODUCTION}-games-us-east-1")["DashboardBody"])
        pages = watching.get_paginator("describe_alarms").paginate()
        named = {one["AlarmName"] for page in pages for one in page["MetricAlarms"]}
        alarms = [
            one["Properties"]["AlarmName"]["Fn::Sub"]
            for one in template.nested("Monitoring", {**PARAMETERS, "Production": "true"}).values()
            if one["Type"] == "AWS::CloudWatch::Alarm"
        ]
        expected = {name.replace("${Name}", PRODUCTION) for name in alarms}
        if (
            outputs["WebSocketUrl"] != f"wss://{DOMAIN}"
            or not table["DeletionProtectionEnabled"]
            or named != expected
            or len(dashboard["widgets"][0]["properties"]["alarms"]) != len(expected)
        ):
            raise Failed(f"production is not what it should be: {outputs}, {sorted(named)}, {table}")
        return seconds

    def deploy_elsewhere(self) -> float:
        """Deploy a stack of production's name in another region, without its domain. Return the seconds. Raise Failed.

        Each region has to have its own dashboard and its own machines, and the first must stay as it was.
        """
        first = self.resources(PRODUCTION)
        settings = tomllib.loads((ROOT / "samconfig.toml").read_text())["prod"]["deploy"]["parameters"]
        seconds = self.deploy(
            {**dict(one.split("=", 1) for one in settings["parameter_overrides"].split()), "Rollout": "AllAtOnce"},
            PRODUCTION,
            "production.json",
            ELSEWHERE,
        )
        second = self.resources(PRODUCTION, ELSEWHERE)
        if self.resources(PRODUCTION) != first:
            raise Failed("the first region's stack has changed")
        for region, ids in (("us-east-1", first), (ELSEWHERE, second)):
            account = {"endpoint_url": self.endpoint, **_credentials(), "region_name": region}
            boto3.client("cloudwatch", **account).get_dashboard(DashboardName=f"{PRODUCTION}-games-{region}")
            if f":{region}:" not in ids["TournamentMachine"]:
                raise Failed(f"{region} has the machine {ids['TournamentMachine']}")
        return seconds

    def lose_and_restore_players(self) -> tuple[int, float]:
        """Lose every player of the stage, and copy them back from a restored table. Return how many, and the seconds.

        The emulator restores no table to a point in time, so the restored table is a copy that was made before.
        """
        dynamodb = boto3.client("dynamodb", endpoint_url=self.endpoint, **_credentials())
        own = self.resources()["PlayersTable"]
        key = {"AttributeName": "player_id", "KeyType": "HASH"}
        dynamodb.create_table(
            TableName=RESTORED,
            KeySchema=[key],
            AttributeDefinitions=[{"AttributeName": "player_id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        before = dynamodb.scan(TableName=own)["Items"]
        for item in before:
            dynamodb.put_item(TableName=RESTORED, Item=item)
            dynamodb.delete_item(TableName=own, Key={"player_id": item["player_id"]})
        started = time.monotonic()
        with mock.patch.dict(os.environ, self.environment):
            failed = restore.main(["--stack", STACK, "--from", RESTORED, "--yes"])
        after = dynamodb.scan(TableName=own)["Items"]
        if failed or sorted(map(str, before)) != sorted(map(str, after)) or not before:
            raise Failed(f"{len(before)} players were lost and {len(after)} restored")
        return len(after), time.monotonic() - started

    def _make_production(self) -> None:
        """Write the built template anew, with what the emulator can do of the alarms in its nested one."""
        monitoring = json.loads(self.monitoring.read_text())
        resources = monitoring["Resources"]
        composites = [key for key, one in resources.items() if one["Type"] == "AWS::CloudWatch::CompositeAlarm"]
        for key in composites:
            del resources[key]
        for alarm in [one["Properties"] for one in resources.values() if one["Type"] == "AWS::CloudWatch::Alarm"]:
            if "Metrics" in alarm:
                first = next(one["MetricStat"] for one in alarm.pop("Metrics") if "MetricStat" in one)
                alarm |= {**first["Metric"], "Statistic": "Sum", "Period": first["Period"]}
        text = json.dumps(monitoring)
        for key in composites:
            text = text.replace(f'\\"${{{key}.Arn}}\\", ', "")
        self.monitoring.with_name("production.json").write_text(text)
        source = yaml_parse((self.built / "template.yaml").read_text())
        source["Resources"]["Monitoring"]["Properties"]["TemplateURL"] = "Monitoring/production.json"
        (self.built / "production.json").write_text(json.dumps(source))

    def stamp(self) -> None:
        """Change the stamp in the layer, as another build would."""
        (self.built / "SharedLayer" / STAMP).write_text(f"{time.time()}")

    def layers_as_built(self) -> int:
        """Return the number of environments whose layer is as it was built. Raise Failed if one has been written to.

        On AWS `/opt` is read-only; the emulator unpacks the layer into a folder that its workers may write.
        """
        layer = self.built / "SharedLayer"

        def files(folder: Path) -> dict[Path, bytes]:
            """Return the digest of each file but the stamp."""
            return {
                path.relative_to(folder): hashlib.sha256(path.read_bytes()).digest()
                for path in folder.rglob("*")
                if path.is_file() and path != folder / STAMP
            }

        unpacked = sorted((self.work / TEMPORARY).glob(f"ministack-lambda-{STACK}-*/layer_*/{STAMP}"))
        built = files(layer)
        for stamp in unpacked:
            if changed := built.items() ^ files(stamp.parent).items():
                names = sorted({str(name) for name, _ in changed})
                raise Failed(f"a function wrote into its layer: {', '.join(names[:10])}")
        if not unpacked:
            raise Failed("no unpacked layer was found")
        return len(unpacked)

    def resources(self, stack: str = STACK, region: str = "us-east-1") -> dict[str, str]:
        """Return physical ids by logical id."""
        account = {**_credentials(), "region_name": region}
        cloudformation = boto3.client("cloudformation", endpoint_url=self.endpoint, **account)
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
        return {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for page in pages
            for one in page["StackResourceSummaries"]
        }

    def versions(self) -> dict[str, str]:
        """Return the version that each function's alias points to, by the function's logical id."""
        functions = {name: id_ for name, id_ in self.resources().items() if name.endswith("Function")}
        client = boto3.client("lambda", endpoint_url=self.endpoint, **_credentials())
        return {
            name: client.get_alias(FunctionName=id_, Name="live")["FunctionVersion"] for name, id_ in functions.items()
        }

    def sizes(self) -> list[str]:
        """Describe the sizes of the built layer and functions."""

        def kilobytes(folder: Path) -> int:
            return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024

        functions = [folder for folder in self.built.iterdir() if folder.name.endswith("Function")]
        lists = kilobytes(self.built / "SharedLayer" / "wordlists")
        return [
            f"Built: the layer {kilobytes(self.built / 'SharedLayer') // 1024} MB (word lists {lists // 1024} MB), "
            f"{len(functions)} functions of {kilobytes(functions[0])} kB."
        ]

    def _run(self, *arguments: str) -> float:
        started = time.monotonic()
        done = subprocess.run(
            [self.command, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Failed(f"sam {arguments[0]}:\n{done.stdout[-3000:]}")
        return time.monotonic() - started


@contextlib.contextmanager
def emulator(command: str, work: Path) -> Iterator[str]:
    """Run the emulator on loopback for the length of the context. Yield its address. Raise Failed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    log = work / "ministack.log"
    temporary = work / TEMPORARY
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    environment = {
        **os.environ,
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "EDGE_PORT": str(port),
        "AWS_ENDPOINT_URL": endpoint,
        "TMPDIR": str(temporary),
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [str(Path(command).resolve())],
            cwd=work,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_for(port, process, log)
            yield endpoint
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(temporary, ignore_errors=True)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.2)
    raise Failed(f"the emulator did not start: see {log}")


def _credentials() -> dict[str, Any]:
    return {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.e2e", description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--sam", default="sam", help="the SAM CLI (default: %(default)s)")
    parser.add_argument("--ministack", default="ministack", help="the emulator (default: %(default)s)")
    parser.add_argument("--work", default="build/e2e", help="folder for what is built and logged")
    return parser


if __name__ == "__main__":
    sys.exit(main())
