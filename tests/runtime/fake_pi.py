"""Stands in for Pi where the real one would not do such a thing. `--model` says what it does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

TOOLS = ["propose", "search_values"]
behaviour = sys.argv[sys.argv.index("--model") + 1]


def write(record: object) -> None:
    os.write(1, json.dumps(record, ensure_ascii=False).encode() + b"\n")


def ready(names: list[str] = TOOLS) -> None:
    status = json.dumps({"op": "ready", "active": names, "all": names})
    ui("setStatus", statusKey="thoth/1", statusText=status)


def ui(method: str, **more: object) -> None:
    write({"type": "extension_ui_request", "id": "u1", "method": method, **more})


def call(tool: str, args: object) -> dict[str, object]:
    asked = json.dumps({"op": "tool", "tool": tool, "call_id": "c1", "args": args})
    ui("input", title="thoth/1", placeholder=asked)
    answer: dict[str, object] = json.loads(json.loads(sys.stdin.readline())["value"])
    return answer


def begun() -> None:
    ready()
    sys.stdin.readline()  # the prompt


if behaviour == "more-tools":
    ready([*TOOLS, "bash"])
elif behaviour == "fewer-tools":
    ready(["propose"])
elif behaviour == "call-before-ready":
    ui("input", title="thoth/1", placeholder='{"op":"tool","tool":"propose","args":{}}')
elif behaviour == "unknown-tool":
    begun()
    call("bash", {"command": "id"})
elif behaviour == "dialog":
    begun()
    ui("select", title="Which?", options=["a"])
elif behaviour == "not-json":
    begun()
    os.write(1, b"Debugger attached.\n")
elif behaviour == "not-an-object":
    begun()
    os.write(1, b"[1]\n")
elif behaviour == "extension-error":
    begun()
    write({"type": "extension_error", "event": "turn_start", "error": "x"})
elif behaviour == "long-line":
    begun()
    os.write(1, b"x" * 300_000)
elif behaviour == "much":
    begun()
    while True:
        write({"type": "noise", "text": "x" * 10_000})
elif behaviour == "exit-early":
    sys.stderr.write("Error: no such model " + "x" * 20_000 + os.environ["PI_BRIDGE_KEY"])
    sys.exit(1)
elif behaviour == "exit":
    begun()
    sys.exit(7)
elif behaviour == "exit-accepted":
    begun()
    call("propose", {"answer": "kept"})
    os.kill(os.getpid(), signal.SIGKILL)
elif behaviour == "not-json-accepted":
    begun()
    call("propose", {"answer": "kept"})
    os.write(1, b"}\n")
elif behaviour == "unsettled":
    begun()
    call("propose", {"answer": "kept"})
    again = call("propose", {"answer": "another"})
    assert not again["ok"]
elif behaviour == "rejected":
    ready()
    prompt = json.loads(sys.stdin.readline())
    assert not prompt["message"].startswith("/")
    write(
        {
            "type": "response",
            "id": prompt["id"],
            "command": "prompt",
            "success": False,
            "error": "No API key found",
        }
    )
elif behaviour == "separators":
    begun()
    data = json.dumps(
        {"type": "noise", "text": "a\u2028b\u2029c\u0085d"}, ensure_ascii=False
    ).encode()
    for position in range(0, len(data), 7):  # cut inside characters
        os.write(1, data[position : position + 7])
        time.sleep(0.001)
    os.write(1, b"\n")
    call("propose", dict(os.environ))
    write({"type": "agent_settled"})
elif behaviour == "large-answer":
    begun()
    text = call("search_values", {"text": "x"})["text"]
    call("propose", {"answer": str(text)})
    write({"type": "agent_settled"})
elif behaviour == "grandchild":
    begun()
    child = subprocess.Popen(["sleep", "60"])
    call("propose", {"answer": str(child.pid)})
    sys.exit(0)
elif behaviour == "grandchild-crash":
    begun()
    subprocess.Popen(["sleep", "60"])
    sys.exit(3)
elif behaviour == "spins":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    begun()
    write({"type": "agent_settled"})
    while True:
        pass
elif behaviour == "stopped":
    begun()
    write({"type": "agent_settled"})
    os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(30)
