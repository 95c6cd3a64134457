// The only extension Pi loads: it offers the tools of one step and passes every call to the process
// that started Pi, over Pi's own RPC channel. Nothing is decided or read here; what is not offered is
// blocked, and the step ends with the first accepted proposal or the last request it may make.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PROTOCOL = "thoth/1";
// { tools: [{ name, description, parameters, terminal }], max_turns, max_proposals }
const offer = JSON.parse(readFileSync(join(process.env.HOME, "tools.json"), "utf8"));

async function ask(ctx, payload, signal) {
  if (ctx.mode !== "rpc") throw new Error("the tools work in RPC mode only");
  const answer = await ctx.ui.input(PROTOCOL, JSON.stringify(payload), { signal });
  if (answer === undefined) throw new Error("the call was cancelled");
  return JSON.parse(answer);
}

export default function thoth(pi) {
  const allowed = new Set(offer.tools.map((tool) => tool.name));
  let done = false;
  const terminal = new Set(offer.tools.filter((tool) => tool.terminal).map((tool) => tool.name));
  let turns = 0;
  let refused = 0; // turns whose proposal was refused, by the host or already by Pi

  for (const tool of offer.tools) {
    pi.registerTool({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      exposure: "model-only",
      // A second proposal in the same message must find the first one finished.
      ...(tool.terminal ? { executionMode: "sequential" } : {}),
      async execute(callId, params, signal, _onUpdate, ctx) {
        const answer = await ask(ctx, { op: "tool", tool: tool.name, call_id: callId, args: params }, signal);
        if (answer.final) done = true;
        if (!answer.ok) throw new Error(answer.error); // Pi's way to tell the model of an error
        return {
          content: [{ type: "text", text: answer.text }],
          details: undefined,
          terminate: tool.terminal === true,
        };
      },
    });
  }

  pi.on("tool_call", (event) => {
    if (!allowed.has(event.toolName)) return { block: true, reason: "This tool does not exist in this step." };
    if (done) return { block: true, reason: "The step is over.", terminate: true };
    return undefined;
  });
  // Pi tells the model the folder it runs in, which is nobody's business.
  pi.on("before_agent_start", (event) => ({
    systemPrompt: event.systemPrompt.replace(/\s*<cwd>[\s\S]*?<\/cwd>\s*$/, ""),
  }));
  pi.on("turn_end", (event, ctx) => {
    turns += 1;
    if (event.toolResults.some((result) => result.isError && terminal.has(result.toolName))) refused += 1;
    if (done || turns >= offer.max_turns || refused >= offer.max_proposals) ctx.abort();
  });
  pi.on("user_bash", () => ({
    result: { output: "disabled", exitCode: 126, cancelled: false, truncated: false },
  }));
  pi.on("session_start", (_event, ctx) =>
    ctx.ui.setStatus(
      PROTOCOL,
      JSON.stringify({
        op: "ready",
        active: pi.getActiveTools(),
        all: pi.getAllTools().map((tool) => tool.name),
      }),
    ),
  );
}
