"""Pi's files, arguments and environment: all of it explicit, nothing inherited."""

from __future__ import annotations

import json
from pathlib import Path

from thoth.runtime.pi.folder import RunFolder
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.types import Limits, PiRequest, Provider

KEY_VARIABLE = "PI_BRIDGE_KEY"
_COMPAT = {"supportsStore": False, "supportsDeveloperRole": False, "maxTokensField": "max_tokens"}
_OFF = (
    "--no-session", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes",
    "--no-context-files", "--no-mcp", "--no-approve", "--offline", "--no-builtin-tools",
)  # fmt: skip


def write_files(folder: RunFolder, request: PiRequest, limits: Limits) -> None:
    """What Pi and the extension read at their start. None of it holds the key."""
    files: dict[str, object] = {
        "models.json": _models(request.provider),
        "settings.json": _settings(limits),
        "tools.json": {
            "tools": [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "terminal": tool.terminal,
                }
                for tool in request.tools
            ],
            "max_turns": limits.model_requests,
            "max_proposals": limits.proposals,
        },
    }
    for name, value in files.items():
        (folder.home / name).write_text(json.dumps(value), encoding="utf-8")
    (folder.home / "prompt.md").write_text(request.system_prompt, encoding="utf-8")


def arguments(
    installation: Installation, folder: RunFolder, request: PiRequest, cache: Path
) -> list[str]:
    """The argument list; never a shell's."""
    return [
        str(installation.node),
        *_cage(installation, folder, cache),
        str(installation.cli),
        *("--mode", "rpc", *_OFF),
        *("--provider", "host", "--model", request.provider.model, "--thinking", "off"),
        *("--tools", ",".join(tool.name for tool in request.tools)),
        *("--extension", str(installation.extension)),
        *("--system-prompt", str(folder.home / "prompt.md")),
    ]


def environment(folder: RunFolder, provider: Provider, cache: Path) -> dict[str, str]:
    """The complete environment of the process."""
    home = str(folder.home)
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "PI_CODING_AGENT_DIR": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PI_OFFLINE": "1",
        "PI_SKIP_VERSION_CHECK": "1",
        "PI_TELEMETRY": "0",
        "NO_COLOR": "1",
        # Shared by all runs: a cold one costs a third of the start.
        "NODE_COMPILE_CACHE": str(cache),
        # Servers without keys want some word all the same.
        KEY_VARIABLE: provider.key or "none",
    }


def _cage(installation: Installation, folder: RunFolder, cache: Path) -> list[str]:
    """Node's permission flags: no child process, no file but those named."""
    if not installation.readable:
        return []
    readable = [f"{path}/*" for path in (*installation.readable, cache, folder.path)]
    # Pi looks for skills in every folder above its own, and would stop at a refusal.
    readable += [f"{parent / '.agents' / 'skills'}" for parent in folder.work.parents]
    return [
        "--permission",
        *(f"--allow-fs-read={path}" for path in readable),
        *(f"--allow-fs-write={path}/*" for path in (folder.path, cache)),
    ]


def _models(provider: Provider) -> dict[str, object]:
    model = {
        "id": provider.model,
        "contextWindow": provider.context_tokens,
        "maxTokens": provider.answer_tokens,
        "reasoning": False,
        "input": ["text"],
    }
    host: dict[str, object] = {
        "baseUrl": provider.base_url,
        "api": provider.api,
        "apiKey": f"${KEY_VARIABLE}",
        "models": [model],
    }
    if provider.api == "openai-completions":
        # What Pi sends otherwise is refused by some servers that call themselves compatible.
        host["compat"] = _COMPAT
        model["samplingParams"] = {"temperature": 0}
    return {"providers": {"host": host}}


def _settings(limits: Limits) -> dict[str, object]:
    idle_ms = round(limits.idle_s * 1000)
    return {
        # The caller decides what is tried again.
        "retry": {"enabled": False, "provider": {"maxRetries": 0, "timeoutMs": idle_ms}},
        "httpIdleTimeoutMs": idle_ms,
        "compaction": {"enabled": False},
        "cacheWarming": "off",
        "defaultProjectTrust": "never",
        "enableInstallTelemetry": False,
        "enableAnalytics": False,
        "defaultTools": [],
        "quietStartup": True,
        "images": {"blockImages": True},
    }
