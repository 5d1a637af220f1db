"""What a user of the public package cactus-needle writes, run by the Python that has the package installed.

Reads a job (JSON) from standard input, does it through the package's documented functions, and writes one JSON
object: the replies of the engine, in order, and what else the job found. Whatever the package raises ends it.
"""
import copy
import datetime
import json
import os
import sys
from enum import Enum
from types import SimpleNamespace
from typing import Annotated, Literal, Optional

import needle
from pydantic import BaseModel

JOB = json.load(sys.stdin)
WEIGHTS = JOB["weights"]  # None: the package looks in its cache and runs the engine in this process
replies = []


class Clock(datetime.datetime):
    """Stands at the job's time: the package tells the model the date, and a small model's answers vary with it."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromisoformat(JOB["now"]).replace(tzinfo=tz)


needle.datetime = SimpleNamespace(datetime=Clock)


class Watched(needle.Needle):
    """The package's agent, over the job's weights, which keeps the engine's replies and looks where they are from."""

    def __init__(self, *args, **kwargs):
        kwargs["weights"] = kwargs.get("weights") or WEIGHTS
        super().__init__(*args, **kwargs)
        pid = self._worker.pid if WEIGHTS else os.getpid()
        assert (self._worker is None) == (WEIGHTS is None)
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            assert JOB["library"] in maps.read(), "another library than the one under test is loaded"

    def _complete(self, text, max_new_tokens=512, **kwargs):
        response = super()._complete(text, min(max_new_tokens, JOB.get("limit", 512)), **kwargs)
        replies.append(copy.deepcopy(response))
        return response


needle.Needle = Watched  # extract() and the environments make their agents by this name


class Room(Enum):
    KITCHEN = "kitchen"
    BEDROOM = "bedroom"


done = []


@needle.tool
def control_lights(room: Room, state: Literal["on", "off"],
                   brightness: Annotated[Optional[int], needle.Field(ge=0, le=100)] = None):
    """Turn lights on or off

    Args:
        room: The room.
        brightness: Percent; only when the user says one.
    """
    done.append((room, state))
    return {"room": room, "state": state}


@needle.tool(triggers=[r"\btimer\b"])
def set_timer(minutes: int):
    "Start a countdown timer"
    return {"minutes": minutes}


class SetTimer(BaseModel):
    """Start a countdown timer"""
    minutes: int


class Point(BaseModel):
    x: float
    y: Optional[float] = None


class Drawing(BaseModel):
    """A drawing with nested values"""
    title: str
    points: list[Point]
    tags: dict[str, int] = {}


LIGHTS = {"name": "control_lights", "description": "Turn lights on or off",
          "parameters": {"type": "object",
                         "properties": {"room": {"type": "string", "enum": ["kitchen", "bedroom"]},
                                        "state": {"type": "string", "enum": ["on", "off"]}},
                         "required": ["room", "state"]}}


def evaluate():
    """Each row's request to an agent with the row's tools."""
    calls = []
    for row in JOB["rows"]:
        with needle.Needle(tools=row["tools"], system=row["system"], auto_date=False) as agent:
            calls.append(agent.complete(row["query"])["function_calls"])
    return {"calls": calls}


def turns():
    """Several turns, results of tools, reset."""
    with needle.Needle(tools=[LIGHTS], system="date: 2026-09-18 Fri 09:41") as agent:
        first = agent.complete("turn on the kitchen lights")
        agent.complete(json.dumps([{"ok": True}]))
        agent.complete("turn off the bedroom lights")
        agent.complete("thanks")
        agent.reset()
        again = agent.complete("turn on the kitchen lights", max_new_tokens=256)
        agent.reset()
        awkward = [agent.complete(text) for text in ("", "say \"hi\"\n\\ 🙏", "\t", "{}", "[1, 2", "</tool_call>")]
    return {"first": first, "again": again, "awkward": len(awkward)}


def running():
    """run() with decorated functions: it calls them and hands their results back."""
    with needle.Needle(tools=[control_lights, set_timer]) as agent:
        lights = agent.run("turn on the kitchen lights")
        agent.reset()
        agent.run("set a timer for 10 minutes", max_steps=2, strict=False)
    with needle.Needle(tools=[control_lights], stateless=True) as agent:
        for _ in range(3):
            agent.run("turn off the bedroom lights")
    return {"results": lights["results"], "done": done}


def forms():
    """The forms in which tools may be given."""
    for tools in (None, [], "[]", json.dumps([LIGHTS]), [{"type": "function", "function": LIGHTS}],
                  [control_lights, LIGHTS | {"name": "other_lights"}, SetTimer], [Drawing]):
        with needle.Needle(tools=tools, system='{"locale": "en", "battery": 80}') as agent:
            agent.complete("turn on the kitchen lights")
    with needle.Needle(tools=[LIGHTS], tool_index_path=JOB["index"]) as agent:
        return {"calls": agent.complete("turn on the kitchen lights")["function_calls"]}


def two_agents():
    """Two agents that take turns: in one process the package starts a session at each change."""
    with needle.Needle(tools=[LIGHTS]) as lights, needle.Needle(tools=[set_timer]) as timer:
        pairs = [(lights, "turn on the kitchen lights"), (timer, "set a timer for 10 minutes")] * 2
        return {"calls": [agent.complete(text)["function_calls"] for agent, text in pairs]}


def extracting():
    text = "set a timer for 25 minutes"
    model = needle.extract(text, SetTimer, weights=WEIGHTS)
    schema = needle.extract(text, needle.agent.tools.pydantic_schema(SetTimer), weights=WEIGHTS)
    with needle.Needle(tools=[LIGHTS]) as agent:
        method = agent.extract(text, SetTimer)
    needle.extract("a drawing called roof with points 1 2 and 3 4", Drawing, weights=WEIGHTS, strict=False)
    return {"kind": type(model).__name__, "model": model.model_dump(), "schema": schema, "method": method.model_dump()}


counted = []


@needle.tool
def countdown_start(mins: Annotated[int, needle.Field(ge=1, le=60)], title: Optional[str] = None):
    "Set a timer"
    counted.append(mins)
    return {"mins": mins}


BLINDS = {"name": "adjust_shade_level", "description": "Move the blinds to a position.",
          "parameters": {"type": "object",
                         "properties": {"location": {"type": "string", "description": "Room name"},
                                        "height": {"type": "integer", "minimum": 0, "maximum": 100,
                                                   "description": "Brightness in percent"}}}}


def strict():
    """More minutes are asked for than the tool takes, so the model has to write a number that nobody named."""
    request, found = "Go ahead and count down 74 minutes", {"clock": needle._with_date_fact("")}
    for name in ("strict", "lax"):
        with needle.Needle(tools=[countdown_start, BLINDS]) as agent:
            found[name] = agent.run(request, max_steps=1, strict=name == "strict")["results"]
            found[name + "_counted"] = list(counted)
    text = "set a timer for 9 and 3 minutes"  # for which the demo's model makes up a number
    try:
        needle.extract(text, SetTimer, weights=WEIGHTS)
    except needle.ExtractionValidationError as error:
        found["refused"] = str(error)
    found["taken"] = needle.extract(text, SetTimer, weights=WEIGHTS, strict=False).model_dump()
    return found


def embedding():
    with needle.Needle(tools=[LIGHTS]) as agent:
        before = agent.complete("turn on the kitchen lights")
        vectors = [agent.embed(text) for text in ("lights on", "lights on", "lumière 🙏", "")]
        agent.reset()
        return {"vectors": vectors, "before": before, "after": agent.complete("turn on the kitchen lights")}


def environments():
    """The package's six environments with their acceptance suites, and by how many cases each of them goes."""
    import needle.environments as envs
    cases = {}
    for name, module in envs.ENVIRONMENTS.items():
        begin = len(replies)
        module.run_tests(verbose=False)
        assert len(replies) - begin == len(module.TEST_CASES)
        module.agent.reset()
        module.agent.run(module.TEST_CASES[0]["query"])
        cases[name] = len(module.TEST_CASES)
    for agent in envs._harness._agents.values():
        agent.close()
    return {"cases": cases}


def refusals():
    """What the package makes of tools that are none."""
    texts = []
    for tools in ("not JSON", json.dumps({"a": 1})):
        try:
            needle.Needle(tools=tools)
        except RuntimeError as error:
            texts.append(str(error))
    with needle.Needle(tools=[LIGHTS]) as agent:
        return {"texts": texts, "calls": agent.complete("turn on the kitchen lights")["function_calls"]}


def speech():
    """Speech with the packages that know it: refused with our reason, and the engine goes on."""
    texts = []
    whistle = needle.Whistle(weights=JOB["archive"])
    for attempt in (lambda: whistle.transcribe([0.0] * 1600), lambda: whistle.embed([0.0] * 1600),
                    lambda: list(whistle.stream([[0.0] * 1600])),
                    lambda: needle.transcribe([0.0] * 160, keywords=["Nadia"], weights=JOB["archive"])):
        try:
            attempt()
        except RuntimeError as error:
            texts.append(str(error))
    with needle.Needle(tools=[LIGHTS]) as agent:
        return {"texts": texts, "calls": agent.complete("turn on the kitchen lights")["function_calls"]}


if __name__ == "__main__":
    sink, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")  # the environments print their scores
    found = globals()[JOB["do"]]()
    json.dump({"version": needle.__version__, "replies": replies} | found, sink)
