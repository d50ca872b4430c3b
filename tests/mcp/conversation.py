"""A conversation of the Python package `mcp` with the memory, over standard input and output and over HTTP, in both lifecycles of the
protocol. What each tool says is compared with what the command line says of the same store.

Arguments: the program, the store, the URL of MCP; MCP_TOKEN is the token of a key without a scope.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAM, STORE, URL = sys.argv[1:]
TOOLS = ["remember", "recall", "believe", "state_fact", "why", "correct", "forget", "prove", "check"]


def command(*arguments):
    """The document that the command line prints."""
    ran = subprocess.run([PROGRAM, "--dir", STORE, "--json", *arguments], capture_output=True, text=True)
    return json.loads(ran.stdout or ran.stderr)


class User:
    """A user who agrees or does not, and counts the questions."""

    def __init__(self):
        self.agrees, self.asked = False, 0

    async def __call__(self, context, params):
        self.asked += 1
        action = "accept" if self.agrees else "decline"
        return types.ElicitResult(action=action, content={"erase": True} if self.agrees else None)


class Agent:
    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        """The document of a tool; its text is a part of the answer too."""
        result = await self.client.call_tool(tool, arguments)
        assert result.content[0].text, tool
        return result.structured_content, bool(result.is_error)

    async def done(self, tool, **arguments):
        document, is_error = await self.call(tool, **arguments)
        assert not is_error, (tool, document)
        return document


def same(given, expected):
    assert given == expected, f"{given!r} is not {expected!r}"


def recalled(document):
    """The members of a recall document that say what was found."""
    return {name: document[name] for name in ("type", "version", "query", "head", "items", "withheld")}


async def memories(agent, name):
    """Remembers, recalls, corrects, explains and hides; gives the id of the corrected memory and its proof."""
    text = f"{name} is allergic to sesame"
    made = await agent.done("remember", text=text, who=name, when="2025-04-01")
    same(made["became"], "new")
    # The same again confirms the memory: a version of it.
    again = await agent.done("remember", text=text, who=name, when="2025-04-01")
    same((again["became"], command("history", made["id"])["versions"][-1]["id"]), ("same", again["id"]))
    shown = command("show", made["id"])
    same((shown["world"]["data"]["text"], shown["world"]["data"]["channel"]), (text, "model"))

    query = f"Which allergy does {name} have?"
    found = await agent.done("recall", query=query, max=5)
    same(recalled(found), recalled(command("recall", query, "--max", "5")))
    same((found["items"][0]["id"], found["items"][0]["receipt"]), (again["id"], again["receipt"]))

    newer = f"{name} is allergic to sesame and to nuts"
    corrected = await agent.done("correct", id=again["id"], text=newer, reason="said so today")
    same(command("show", corrected["id"])["world"]["data"]["text"], newer)
    why, history = await agent.done("why", id=corrected["id"]), command("history", corrected["id"])
    same([version["id"] for version in why["versions"]], [version["id"] for version in history["versions"]])
    checked = await agent.done("check", ids=[made["id"], corrected["id"]])
    same((checked["verdict"], checked["memories"][1]["text"]), ("approved", newer))
    return corrected["id"], query


async def facts(agent, name):
    """States a fact, believes and explains it."""
    fact = {"subject": name, "predicate": "lives_in"}
    stated = await agent.done("state_fact", **fact, value="Porto", **{"from": "2022-03"})
    same(stated["said_by"], "model_derived")
    believed = (await agent.done("believe", **fact))["beliefs"][0]
    belief = command("believe", name, "lives_in")
    same(believed["status"], belief["status"])
    same([side["value"] for side in believed["values"]], [side["value"] for side in belief["sides"]])
    same(believed["values"][0]["said_by"], [belief["sides"][0]["claims"][0]["provenance"]["class"]])
    why, expected = await agent.done("why", **fact), command("why", name, "lives_in")
    same([unit["ref"] for unit in why["decided_by"]], [unit["ref"] for unit in expected["decidedBy"]])
    same(why["decided_by"][0]["ref"], stated["id"])
    return fact


async def proofs(agent, memory, fact, folder):
    """Proves a memory and a belief; authorities check both without the store."""
    anchors = str(folder / "anchors.json")
    command("anchors", "-o", anchors)
    for verify, what in [("verify", {"ids": [memory], "summary": "A cake without sesame"}), ("verify-belief", fact)]:
        proven = await agent.done("prove", **what)
        read = await agent.client.read_resource(proven["proof"])
        file = folder / "proof.json"
        file.write_text(read.contents[0].text)
        same(proven["bytes"], len(read.contents[0].text.encode()))
        checked = await agent.done("check", proof=proven["proof"])
        report = command(verify, str(file), "--anchors", anchors)
        same(checked["verdict"], report["decision"])
        same(checked["report"]["type"], report["type"])
    document, is_error = await agent.call("check", proof={"type": "none"})
    same((is_error, document["code"]), (True, "input"))


async def forgetting(agent, name, user, memory, query):
    """Hides a memory, and erases another after its user has refused once."""
    hidden = await agent.done("forget", id=memory, reason="asked to", mode="hide")
    same(hidden["became"], "hidden")
    found = await agent.done("recall", query=query)
    same(recalled(found), recalled(command("recall", query, "--max", "8")))
    assert memory not in [item["id"] for item in found["items"]]

    made = await agent.done("remember", text=f"The safe of {name} opens with 4711")
    for agrees, became in [(False, "kept"), (True, "erased")]:
        user.agrees = agrees
        done = await agent.done("forget", id=made["id"], reason="asked to", mode="erase")
        same(done["became"], became)
        shown = command("show", made["id"])
        same(bool(shown["world"]), not agrees)
    same(user.asked, 2)


async def converse(name, server, mode):
    user = User()
    async with Client(server, mode=mode, elicitation_callback=user) as client:
        agent = Agent(client)
        same([tool.name for tool in (await client.list_tools()).tools], TOOLS)
        memory, query = await memories(agent, name)
        fact = await facts(agent, name)
        with tempfile.TemporaryDirectory() as folder:
            await proofs(agent, memory, fact, pathlib.Path(folder))
        await forgetting(agent, name, user, memory, query)


async def main():
    modes = {"2026-07-28": "Kit", "legacy": "Ada"}
    for mode, name in modes.items():
        over_stdio = StdioServerParameters(command=PROGRAM, args=["--dir", STORE, "mcp"], env=dict(os.environ))
        await converse(f"{name} Berg", over_stdio, mode)
        headers = {"authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            await converse(f"{name} Lund", streamable_http_client(URL, http_client=http), mode)
    print("four conversations over two transports agree with the command line")


asyncio.run(main())
