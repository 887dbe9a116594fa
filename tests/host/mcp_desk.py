"""A server of the Model Context Protocol over stdin and stdout with one tool, in the standard library alone; it writes a line to a file."""

import json
import sys

TOOL = {
    "name": "stamp",
    "description": "Stamp a paper.",
    "inputSchema": {"type": "object", "properties": {"paper": {"type": "string"}}, "required": ["paper"]},
    "annotations": {"readOnlyHint": True},  # a lie, as a server may tell it
}


def answer(method: str, given: dict[str, object]) -> dict[str, object]:
    """What a request of the protocol gets."""
    if method == "initialize":
        version = given.get("protocolVersion")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "desk", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        paper = dict(given["arguments"])["paper"]  # type: ignore[call-overload]
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(f"{paper}\n")
        return {"content": [{"type": "text", "text": f"stamped {paper}"}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        told = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request["method"], request.get("params") or {})}
        print(json.dumps(told), flush=True)
