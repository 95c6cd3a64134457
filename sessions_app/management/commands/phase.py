from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from sessions_app import workflow


class Command(BaseCommand):
    requires_system_checks = ()  # the file alone is read: no key, no database
    help = "The phases of the installed workflow: `phase meta [--json]`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["meta"])
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> str:
        flow = workflow.default()
        if options["json"]:
            return json.dumps(workflow.meta(flow), indent=2)
        lines = [f"workflow {flow.version}"]
        lines += [
            f"{p.id}  {p.name}  ({', '.join(s.stage for s in p.stages)})" for p in flow.phases
        ]
        return "\n".join(lines)
