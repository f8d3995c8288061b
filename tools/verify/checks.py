"""The assumptions that no page of AWS backs, each with the check that answers it on a deployed stage.

Pages and findings name a check by its key in CHECKS.
"""

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tools.verify.stage import Check, Finding, NotAnswered, Stage, Visitor, in_thread, judged

PLAYERS = 8
PUSHES = 100
COLD_AT_ONCE = 20
IDLE_SECONDS = 600
FLOOD = 60


@dataclass(frozen=True)
class Assumption:
    """An assumption, its check, and what to change if it does not hold."""

    sentence: str
    change: str
    check: Check


async def handshake(stage: Stage) -> Finding:
    started = time.monotonic()
    try:
        async with stage.visitor() as visitor:
            took = time.monotonic() - started
            languages = await visitor.ask("languages")
    except (OSError, InvalidHandshake, TimeoutError) as error:
        return Finding("did not hold", f"{stage.url}: {error}")
    return judged(bool(languages["languages"]), f"connected and signed in after {took:.2f} s")


async def idle_limit(stage: Stage) -> Finding:
    async with stage.visitor() as visitor:
        found = await visitor.ended(stage.limits.idle)
    if found is None:
        return Finding("not answered", f"still open after {stage.limits.idle:.0f} s; give --idle-seconds more")
    seconds, code = found
    return judged(seconds >= IDLE_SECONDS - 10, f"closed with {code} after {seconds:.0f} s of silence")


async def pushes_and_idle_limit(stage: Stage) -> Finding:
    """A connection that is pushed to and never speaks, for longer than the limit of a silent one."""
    async with stage.visitor() as visitor:
        connection_id = await stage.connection_of(visitor)

        async def push() -> None:
            while await stage.push(connection_id, {"type": "verify"}):
                await asyncio.sleep(stage.limits.idle / 10)

        pushing = asyncio.create_task(push())
        found = await visitor.ended(stage.limits.idle)
        pushing.cancel()
    if stage.limits.idle <= IDLE_SECONDS:
        return Finding("not answered", f"watched for {stage.limits.idle:.0f} s only, and the limit is {IDLE_SECONDS} s")
    return judged(found is not None, f"closed with {found[1]} after {found[0]:.0f} s" if found else "stayed open")


async def gone_after_a_crash(stage: Stage) -> Finding:
    async with stage.visitor() as visitor:
        connection_id = await stage.connection_of(visitor)
        visitor.abort()
        seconds = await stage.gone_after(connection_id, time.monotonic())
    limit = float(stage.environment["SILENCE_SECONDS"])
    if seconds is None:
        return Finding("did not hold", f"pushes still succeed {stage.limits.gone:.0f} s after the connection was cut")
    return judged(seconds <= limit, f"410 {seconds:.1f} s after the connection was cut")


async def gone_after_a_close(stage: Stage) -> Finding:
    async with stage.visitor() as visitor:
        connection_id = await stage.connection_of(visitor)
        await visitor.socket.close()
        seconds = await stage.gone_after(connection_id, time.monotonic())
    if seconds is None:
        return Finding(
            "did not hold", f"pushes still succeed {stage.limits.gone:.0f} s after the connection was closed"
        )
    return judged(seconds <= 5, f"410 {seconds:.1f} s after a close")


async def deleted_connection(stage: Stage) -> Finding:
    async with stage.visitor() as visitor:
        connection_id = await stage.connection_of(visitor)
        await in_thread(lambda: stage.pushes.delete_connection(ConnectionId=connection_id))
        found = await visitor.ended(stage.limits.gone)
    if found is None:
        return Finding("did not hold", f"still open {stage.limits.gone:.0f} s after DeleteConnection")
    return judged(found[0] <= 5, f"closed with {found[1]} after {found[0]:.1f} s")


async def others_see_a_crash(stage: Stage) -> Finding:
    return await _others_see(stage, crash=True)


async def others_see_a_close(stage: Stage) -> Finding:
    return await _others_see(stage, crash=False)


async def _others_see(stage: Stage, *, crash: bool) -> Finding:
    """Measure the time from a loss until a friend in the group sees it: by `$disconnect`, since nobody pushes."""
    async with stage.visitor() as friend, stage.visitor() as leaving:
        invite = (await friend.ask("createGroup"))["group"]["invite"]
        await leaving.ask("joinGroup", invite=invite)
        started = time.monotonic()
        if crash:
            leaving.abort()
        else:
            await leaving.socket.close()
        try:
            await friend.until(lambda frame: _shows_away(frame, leaving.player_id), stage.limits.gone)
        except TimeoutError:
            return Finding("did not hold", f"$disconnect did not come within {stage.limits.gone:.0f} s")
        seconds = time.monotonic() - started
        await friend.ask("leaveGroup")
    return judged(seconds <= 10, f"a friend saw it after {seconds:.1f} s")


def _shows_away(frame: dict[str, Any], player_id: str) -> bool:
    if frame.get("type") == "presence":
        return bool(frame["player_id"] == player_id and frame["away"])
    members = frame.get("group", {}).get("members", []) if frame.get("type") == "group" else []
    return any(one["player_id"] == player_id and one.get("away") for one in members)


async def pushes_in_order(stage: Stage) -> Finding:
    """Pushes one after another, and then side by side; only the first should be in order."""
    orders = []
    async with stage.visitor() as visitor:
        connection_id = await stage.connection_of(visitor)
        for at_once in (False, True):
            visitor.arrived.clear()
            calls = [stage.push(connection_id, {"type": "verify", "n": number}) for number in range(PUSHES)]
            sending = asyncio.gather(*calls) if at_once else _one_by_one(calls)
            await asyncio.gather(sending, _receive(visitor, PUSHES))
            numbers = [frame["n"] for frame in visitor.arrived if frame.get("type") == "verify"]
            orders.append(sum(later < earlier for earlier, later in pairwise(numbers)))
    return judged(
        orders[0] == 0, f"of {PUSHES}, {orders[0]} were overtaken one after another, {orders[1]} side by side"
    )


async def _one_by_one(calls: list[Any]) -> None:
    for call in calls:
        await call


async def _receive(visitor: Visitor, number: int) -> None:
    async with asyncio.timeout(120):
        while sum(frame.get("type") == "verify" for frame in visitor.arrived) < number:
            await visitor.next()


async def skip_on_time(stage: Stage) -> Finding:
    """A tournament in which nobody moves: when does the first skip arrive, by the server's own clock?"""
    async with _tournament(stage) as (visitors, tournament_id):
        player = visitors[0]
        duel = next(frame["duel"] for frame in reversed(player.arrived) if frame.get("type") == "duel")
        first = duel["deadline_ms"]
        try:
            later = await player.until(
                lambda frame: frame.get("type") == "duel" and frame["duel"].get("deadline_ms", 0) > first,
                stage.limits.turn,
            )
        except TimeoutError:
            return Finding("did not hold", f"no turn was skipped within {stage.limits.turn:.0f} s")
        late = (later["now_ms"] - first) / 1000
        finding = judged(0 <= late <= 5, f"skipped {late:.1f} s after the deadline of the turn")
        if stage.stack is not None:
            finding = judged(
                finding.verdict == "held", f"{finding.measured}; {await _timeout_name(stage, tournament_id)}"
            )
    return finding


async def _timeout_name(stage: Stage, tournament_id: str) -> str:
    """Return how Step Functions calls a missed heartbeat, which AWS's own pages do not agree on."""
    machine = stage.environment["TOURNAMENT_MACHINE_ARN"].replace(":stateMachine:", ":execution:")
    states = stage.client("stepfunctions")
    pages = states.get_paginator("get_execution_history").paginate(executionArn=f"{machine}:{tournament_id}")
    events = await in_thread(lambda: [event for page in pages for event in page["events"]])
    found = Counter(
        details["error"]
        for event in events
        for name, details in event.items()
        if name.endswith("EventDetails") and "error" in details
    )
    return f"errors in the execution: {dict(found)}" if found else "the execution has no error yet"


@asynccontextmanager
async def _tournament(stage: Stage) -> AsyncIterator[tuple[list[Visitor], str]]:
    """Yield eight visitors, a group, in a tournament of their own, and its id. They leave it at the end."""
    async with AsyncExitStack() as guests:
        visitors = [await guests.enter_async_context(stage.visitor()) for _ in range(PLAYERS)]
        invite = (await visitors[0].ask("createGroup"))["group"]["invite"]
        for visitor in visitors[1:]:
            await visitor.ask("joinGroup", invite=invite)
        asked = (visitor.until(lambda one: one.get("type") == "question") for visitor in visitors[1:])
        await asyncio.gather(visitors[0].ask("startGroup", language="en"), *asked)
        frame = await visitors[0].until(lambda one: one.get("type") == "tournament")
        await visitors[0].until(lambda one: one.get("type") == "duel")
        yield visitors, frame["tournament"]["tournament_id"]
        for visitor in visitors:
            with suppress(NotAnswered, ConnectionClosed, TimeoutError):  # it is over, or its connection is
                await visitor.ask("leave", what="tournament")


async def cold_start(stage: Stage) -> Finding:
    """Many first messages at once need new environments; the log has their `platform.report`."""
    since = int((time.time() - 5) * 1000)
    sockets = [connect(stage.url, ping_interval=None) for _ in range(COLD_AT_ONCE)]
    group = stage.environment and stage.ids["FunctionsLog"]

    async def visit(opening: Any) -> None:
        async with opening as socket:
            visitor = Visitor(socket)
            await visitor.ask("hello")
            await visitor.delete()

    await asyncio.gather(*(visit(one) for one in sockets))
    logs = stage.client("logs")
    ends = time.monotonic() + stage.limits.logs
    while True:
        found = await in_thread(
            lambda: logs.filter_log_events(
                logGroupName=group, startTime=since, filterPattern='{ $.type = "platform.report" }'
            )
        )
        metrics = [report for event in found["events"] if (report := _report(event["message"]))]
        cold = [one["initDurationMs"] for one in metrics if "initDurationMs" in one]
        if cold or time.monotonic() > ends:
            break
        await asyncio.sleep(10)
    if not metrics:
        return Finding("did not hold", f"the log has no platform.report after {stage.limits.logs:.0f} s")
    if not cold:
        return Finding(
            "not answered", f"{len(metrics)} calls, none of them cold: verify again right after a deployment"
        )
    grace = float(stage.environment["TURN_GRACE_SECONDS"]) * 1000
    memory = max(one["maxMemoryUsedMB"] for one in metrics)
    return judged(
        max(cold) < grace,
        f"{len(cold)} of {len(metrics)} calls were cold, {statistics.median(cold):.0f} ms in the middle, "
        f"{max(cold):.0f} ms at most; {memory} MB used",
    )


def _report(line: str) -> dict[str, float] | None:
    """Return the metrics of a line `platform.report`; None for any other line."""
    with suppress(ValueError, KeyError, TypeError):
        parsed = json.loads(line)
        if parsed["type"] == "platform.report":
            metrics: dict[str, float] = parsed["record"]["metrics"]
            return metrics
    return None


async def metrics_arrive(stage: Stage) -> Finding:
    """Metrics are lines in a log group of our own, of which no page says that CloudWatch extracts them there."""
    cloudwatch = stage.client("cloudwatch")
    dimensions = [{"Name": "route", "Value": "hello"}, {"Name": "service", "Value": stage.stack}]
    ends = time.monotonic() + stage.limits.logs
    while True:
        points = await in_thread(
            lambda: cloudwatch.get_metric_statistics(
                Namespace="WordleTournament",
                MetricName="RouteDuration",
                Dimensions=dimensions,
                StartTime=stage.started - 600,
                EndTime=time.time() + 60,
                Period=60,
                Statistics=["SampleCount", "Average"],
            )["Datapoints"]
        )
        if points or time.monotonic() > ends:
            break
        await asyncio.sleep(10)
    calls = sum(one["SampleCount"] for one in points)
    return judged(calls > 0, f"RouteDuration of hello has {calls:.0f} values of the last minutes")


async def alarms_on_empty_data(stage: Stage) -> Finding:
    """After half an hour every alarm should know that nothing is wrong, also those on metrics without data."""
    cloudwatch = stage.client("cloudwatch")
    ends = time.monotonic() + stage.limits.alarms
    while True:
        alarms = await in_thread(lambda: _alarms(cloudwatch, f"{stage.stack}-alarm-"))
        wrong = {one["AlarmName"].partition("-alarm-")[2]: one["StateValue"] for one in alarms}
        wrong = {name: state for name, state in wrong.items() if state != "OK"}
        if not wrong or time.monotonic() > ends:
            break
        await asyncio.sleep(30)
    if not alarms:
        raise NotAnswered("the stage has no alarms: deploy it with AlarmEmail")
    listed = ", ".join(f"{name} {state}" for name, state in sorted(wrong.items()))
    return judged(
        not wrong, f"{len(alarms) - len(wrong)} of {len(alarms)} alarms are OK{'; ' if wrong else ''}{listed}"
    )


def _alarms(cloudwatch: Any, prefix: str) -> list[Any]:
    pages = cloudwatch.get_paginator("describe_alarms").paginate(AlarmNamePrefix=prefix)
    return [one for page in pages for one in page["MetricAlarms"]]


async def gradual_deployment(stage: Stage) -> Finding:
    """CodeDeploy takes our number of groups with our number of alarms, and its last deployments succeeded."""
    application = stage.ids.get("ServerlessDeploymentApplication")
    if application is None:
        raise NotAnswered("the stage was deployed with Rollout=AllAtOnce: deploy twice with a Canary, and AlarmEmail")
    codedeploy = stage.client("codedeploy")
    names = codedeploy.list_deployment_groups(applicationName=application)["deploymentGroups"]
    groups = [
        codedeploy.get_deployment_group(applicationName=application, deploymentGroupName=one)["deploymentGroupInfo"]
        for one in names
    ]
    last = Counter(one.get("lastAttemptedDeployment", {}).get("status", "none yet") for one in groups)
    return judged(set(last) == {"Succeeded"}, f"{len(groups)} groups, last deployments: {dict(last)}")


async def throttled_frames(stage: Stage) -> Finding:
    """A message over a route's rate is answered by a frame that clients know as API Gateway's own."""
    async with connect(stage.url, ping_interval=None) as socket:
        visitor = Visitor(socket)
        await visitor.ask("hello")
        for _ in range(FLOOD):
            await socket.send(json.dumps({"action": "export"}))
        with_type: Counter[str] = Counter()
        without = []
        try:
            async with asyncio.timeout(20):
                for _ in range(FLOOD):
                    frame = await visitor.next()
                    if "type" in frame:
                        with_type[frame["type"]] += 1
                    else:
                        without.append(frame)
        except (TimeoutError, ConnectionClosed):
            pass  # what has come until then is judged
        await asyncio.sleep(3)
        await visitor.delete()
    if not without:
        return Finding("not answered", f"{FLOOD} exports at once were not throttled: {dict(with_type)}")
    return judged(all("message" in one for one in without), f"{len(without)} of {FLOOD} got {json.dumps(without[0])}")


CHECKS = {
    "handshake": Assumption(
        "The stage can be reached, and signs a new guest in.",
        "Nothing else can be verified: look at the address, and at the alarms.",
        handshake,
    ),
    "idle-limit": Assumption(
        "A silent connection stays open for ten minutes, so that a ping every 20 seconds is early enough.",
        "Let clients ping more often (PING_SECONDS of the client and the page), and say so in docs/protocol.md.",
        idle_limit,
    ),
    "pushes-and-idle-limit": Assumption(
        "Pushes do not keep a connection open whose client says nothing.",
        "Nothing in the game, where clients speak anyway. Correct the page that says so, and infra/local/gateway.py.",
        pushes_and_idle_limit,
    ),
    "gone-after-crash": Assumption(
        "A push to a connection that was cut is answered 410 within SilenceSeconds.",
        "Nothing: a question without an answer then notices the loss. Lower SilenceSeconds to be sooner.",
        gone_after_a_crash,
    ),
    "gone-after-close": Assumption(
        "A push to a connection that was closed is answered 410 within five seconds.",
        "Do not count on 410: see gone-after-crash.",
        gone_after_a_close,
    ),
    "deleted-connection": Assumption(
        "A connection that DeleteConnection ends is closed for its client within five seconds.",
        "Let the client reconnect when it is told `replaced` or is not signed in, and not wait for the close.",
        deleted_connection,
    ),
    "disconnect-after-crash": Assumption(
        "$disconnect comes within ten seconds of a cut connection.",
        "Expect friends to see a loss later, by silence. Say so in docs/protocol.md.",
        others_see_a_crash,
    ),
    "disconnect-after-close": Assumption(
        "$disconnect comes within ten seconds of a close.",
        "Expect friends to see a loss later, by silence. Say so in docs/protocol.md.",
        others_see_a_close,
    ),
    "push-order": Assumption(
        "Frames pushed one after another arrive in that order.",
        "Nothing in the client: frames have versions. Correct docs/protocol.md if it says otherwise.",
        pushes_in_order,
    ),
    "skip-on-time": Assumption(
        "A missed heartbeat wakes the machine, and the turn is skipped within five seconds of its deadline.",
        "Catch the error's name in infra/statemachines/tournament.asl.yaml, or raise the heartbeat's quota.",
        skip_on_time,
    ),
    "cold-start": Assumption(
        "A cold start is shorter than TurnGraceSeconds.",
        "Raise TurnGraceSeconds, or set ColdStarts to SnapStart or Provisioned (docs/deploy.md).",
        cold_start,
    ),
    "metrics": Assumption(
        "CloudWatch makes metrics of our log lines, in a log group of our own and in Lambda's JSON format.",
        "Look at a line of the log for what Lambda wraps it in; see LoggingConfig in template.yaml.",
        metrics_arrive,
    ),
    "throttled-frames": Assumption(
        "A throttled message is answered by a frame with `message` and without `type`.",
        "Change _is_the_gateways in client/wordle_tournament_client/client.py, and the same in the page.",
        throttled_frames,
    ),
    "gradual-deployment": Assumption(
        "CodeDeploy takes eight groups at once, with seven alarms each.",
        "Set Rollout to AllAtOnce, or move the routes in two steps.",
        gradual_deployment,
    ),
    "alarms-on-empty-data": Assumption(
        "After half an hour no alarm is in INSUFFICIENT_DATA or ALARM, also those whose metrics have no data.",
        "Fill the metric's gaps (FILL) or change TreatMissingData in infra/monitoring.yaml.",
        alarms_on_empty_data,
    ),
}
