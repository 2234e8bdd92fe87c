"""A session of the Model Context Protocol's own client over standard input and output.

Run by the interpreter of its environment: reads the server to start and the calls as JSON, and writes the results.
`$release_id` in a call stands for the release that an earlier answer named.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def talk(asked: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, str] = {}
    async with (
        stdio_client(StdioServerParameters(**asked["server"])) as streams,
        ClientSession(*streams) as session,
    ):
        introduction = (await session.initialize()).model_dump(by_alias=True)
        listed = (await session.list_tools()).model_dump(by_alias=True)
        answers = []
        for name, arguments in asked["calls"]:
            given = {key: known.get(value, value) for key, value in arguments.items()}
            answer = (await session.call_tool(name, given)).model_dump(by_alias=True)
            text = "".join(part["text"] for part in answer["content"])
            answers.append({"failed": bool(answer["isError"]), "text": text})
            found = json.loads(text)
            if isinstance(found, dict) and "release_id" in found:
                known["$release_id"] = found["release_id"]
    return {
        "server": introduction["serverInfo"]["name"],
        "tools": {tool["name"]: tool["annotations"] for tool in listed["tools"]},
        "answers": answers,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(talk(json.load(sys.stdin)))))
