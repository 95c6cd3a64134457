// Keyboard, live updates, small behaviours. htmx swaps the fragments, this file wires the rest.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// --- theme: system by default, one click to the other ------------------------------------------
function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("thoth-theme", next); } catch { /* not remembered, still applied */ }
  drawDiagrams(true);
}

// --- live: the server pushes, the page asks for the fragment ------------------------------------
let stream = null;
let lastEvent = "";
let refreshTimer = null;
const KINDS = ["ui_request", "ui_superseded", "info", "model_started", "model_finished",
  "model_failed", "system_event", "artifact_changed"];

function refreshSoon() {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(refresh, 80);
}

function refresh() {
  const live = $("#live");
  if (!live) return;
  fetch(live.dataset.url, { headers: { "HX-Request": "true" } })
    .then((response) => (response.ok ? response.text() : Promise.reject(response)))
    .then((html) => { if (isNewer(html)) applyLive(html); })
    .catch(() => { /* the stream reconnects by itself and brings the next refresh */ });
}

function onEvent(event) {
  if (event.lastEventId) lastEvent = event.lastEventId;
  refreshSoon();
}

function onDelta(event) {
  const box = $("#progress-text");
  if (!box) return;
  const delta = JSON.parse(event.data);
  box.textContent = (delta.so_far ? "" : box.textContent) + delta.text;
  box.hidden = !box.textContent;
  box.scrollTop = box.scrollHeight;
}

function connect() {
  disconnect();
  const live = $("#live[data-events]");
  if (!live || document.hidden) return;
  const url = new URL(live.dataset.events, location.href);
  if (lastEvent) url.searchParams.set("after", lastEvent);
  stream = new EventSource(url);
  for (const kind of KINDS) stream.addEventListener(kind, onEvent);
  stream.addEventListener("text_delta", onDelta);
  stream.addEventListener("end", () => { disconnect(); refreshSoon(); });
}

function disconnect() {
  if (stream) stream.close();
  stream = null;
}

// A tab in the background holds no connection; it catches up when it is looked at.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return disconnect();
  connect();
  if ($("#live[data-events]")) refreshSoon();
});

function announce(text) {
  const region = $("#announcer");
  if (region && text) region.textContent = text;
}

// --- the live part: nothing that somebody is doing is lost -------------------------------------
// What is the same stays the very same node, so that focus, typed words and a drawn result survive.
function stateOf(live) {
  return (live?.dataset.state || "0.0").split(".").map(Number);
}

// Two refreshes may overtake each other: the older one is dropped.
function isNewer(html) {
  const found = html.match(/data-state="([^"]*)" data-status="([^"]*)"/);
  if (!found) return false;
  const live = $("#live");
  const [version, number] = found[1].split(".").map(Number);
  const [myVersion, myNumber] = stateOf(live);
  if (version === myVersion && number === myNumber) return found[2] !== live.dataset.status;
  return version > myVersion || (version === myVersion && number > myNumber);
}

function applyLive(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fresh = $("#live", parsed);
  const live = $("#live");
  if (!fresh || !live) return;
  const before = remember();
  for (const { name } of [...live.attributes]) if (!fresh.hasAttribute(name)) live.removeAttribute(name);
  for (const { name, value } of fresh.attributes) live.setAttribute(name, value);
  syncChildren(live, fresh);
  for (const region of $$("[hx-swap-oob]", parsed)) {
    region.removeAttribute("hx-swap-oob");
    const mine = document.getElementById(region.id);
    if (mine && mine.outerHTML !== region.outerHTML) {
      mine.replaceWith(document.adoptNode(region));
      htmx.process(region);
    }
  }
  settleLive(before);
  drawDiagrams();
  startGrid();
}

function syncChildren(live, fresh) {
  const stays = new Map();
  for (const child of fresh.children) {
    const mine = child.id && child.hasAttribute("data-stays") && document.getElementById(child.id);
    if (mine && mine.parentElement === live) stays.set(child, mine);
  }
  const staying = new Set(stays.values());
  for (const child of [...live.children]) if (!staying.has(child)) child.remove();
  for (const child of [...fresh.children]) {
    const next = [...live.children].find((mine) => staying.has(mine));
    if (stays.has(child)) { staying.delete(stays.get(child)); continue; }
    live.insertBefore(document.adoptNode(child), next || null);
    htmx.process(child);
  }
}

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "live" || !event.detail.shouldSwap) return;
  event.detail.shouldSwap = false;
  applyLive(event.detail.xhr.responseText);
});
document.addEventListener("htmx:afterSettle", () => {
  drawDiagrams();
  startGrid();
});

function remember() {
  const active = document.activeElement;
  return {
    pending: $(".card.pending")?.id,
    focus: active && active !== document.body ? pathTo(active) : null,
    open: $$("details[id][open]").map((details) => details.id),
    scroll: $$("[data-keep]").map((region) => [region.id, region.scrollTop]),
    checked: $$("input[data-do][id]:checked").map((input) => input.id),
  };
}

function pathTo(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : null;
}

function settleLive(before) {
  for (const id of before.open) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, top] of before.scroll) document.getElementById(id).scrollTop = top;
  for (const id of before.checked) {
    const box = document.getElementById(id);
    if (box) { box.checked = true; showEffective(box); }
  }
  const card = $(".card.pending, #stopped");
  if (card && card.id !== before.pending) arrive(card);
  else if (document.activeElement === document.body && before.focus) $(before.focus)?.focus();
  tick();
}

// A new question takes the focus, unless somebody is writing or reading elsewhere.
function arrive(card) {
  announce(card.dataset.title);
  if (document.activeElement?.closest(".steer input, dialog, aside, .nav")) return;
  show(card);
}

// The question from its first line; what was decided before it stays in sight where it fits.
function show(card) {
  card.focus({ preventScroll: true });
  const main = $("main");
  const fits = card.offsetHeight < main.clientHeight - 140;
  card.scrollIntoView({ block: fits ? "end" : "start" });
}

// --- what went wrong on the way -------------------------------------------------------------------
function toast(text) {
  const box = $("#toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { box.hidden = true; }, 8000);
}
document.addEventListener("htmx:sendError", () => toast(document.body.dataset.offline));
document.addEventListener("htmx:responseError", (event) => {
  const answer = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  toast($("h1", answer)?.textContent || document.body.dataset.offline);
});

// --- keyboard: the shortcuts are printed on the buttons ----------------------------------------
const WRITING = "textarea, select, input[type=text], input[type=search], [contenteditable]";

function optionInputs() {
  return $$(".card.pending .opts .opt > input").filter((input) => input.offsetParent);
}

function pickOption(number) {
  const input = $(`.card.pending [data-number="${number}"] > input`);
  if (!input) return;
  input.focus();  // first: an option that asks for words takes the focus on to them
  input.click();
}

function moveFocus(step) {
  const inputs = optionInputs();
  if (!inputs.length) return;
  const at = inputs.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : inputs.length - 1) : (at + step + inputs.length) % inputs.length;
  inputs[next].focus();
}

function confirmPending(event) {
  const button = $(".card.pending [data-key=Enter], #stopped [data-key=Enter]");
  if (!button) return;
  event.preventDefault();
  if (nothingChosen(button)) toast(document.body.dataset.choose);
  else button.click();
}

// Recommending is not approving: without a choice, confirming does nothing.
function nothingChosen(button) {
  const form = button.closest("form.pending");
  if (!form || form.hasAttribute("data-allow-empty")) return false;
  const inputs = $$(".opts .opt > input", form);
  return inputs.length > 0 && !inputs.some((input) => input.checked);
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const writing = event.target.closest?.(WRITING);
  if (writing) return whileWriting(event, writing);
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (/^[1-9]$/.test(event.key)) { event.preventDefault(); return pickOption(Number(event.key)); }
  // Radio buttons move and choose by arrows on their own; here moving never chooses.
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (!event.target.closest?.(".card.pending, body:not(aside)") || event.target.closest?.("pre, .scroll, aside, nav")) return;
    if (!$(".card.pending")) return;
    event.preventDefault();
    return moveFocus(event.key === "ArrowDown" ? 1 : -1);
  }
  if (event.key === "Enter") {
    if (!event.target.closest?.("a, button, summary")) confirmPending(event);
    return;
  }
  const wanted = event.key.length === 1 && $(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (wanted) { event.preventDefault(); wanted.click(); }
});

function whileWriting(event, field) {
  if (event.key === "Escape") field.blur();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = field.closest("form");
    const send = field.closest(".other")?.querySelector("button") || $("[data-confirm]", form) || $("button[type=submit], button:not([type])", form);
    event.preventDefault();
    send?.click();
  }
}

// Space ticks a checkbox by itself; on a radio it chooses. Nothing to add.

// --- small behaviours, by attribute ------------------------------------------------------------
const ACTIONS = {
  theme: toggleTheme,
  aside: () => document.body.classList.toggle(innerWidth > 1100 ? "hide-aside" : "show-aside"),
  nav: () => document.body.classList.toggle("show-nav"),
  reveal: (target) => {
    const box = document.getElementById(target.dataset.target);
    box.hidden = !box.hidden;
    if (!box.hidden) $("textarea, input", box)?.focus();
  },
  "close-dialog": (target) => target.closest("dialog").close(),
  "select-all": (target) => setAll(target, true),
  "clear-all": (target) => setAll(target, false),
  wrap: () => document.body.classList.toggle("wrap-code"),
  tab: showTab,
  effective: showEffective,
};

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-do]");
  if (target) ACTIONS[target.dataset.do]?.(target);
  const confirm = event.target.closest("[data-confirm]");
  if (confirm && nothingChosen(confirm)) {
    event.preventDefault();
    event.stopPropagation();
    toast(document.body.dataset.choose);
  }
}, true);

function setAll(button, checked) {
  for (const box of $$(".opts input[type=checkbox][name=choices]", button.closest("form"))) {
    box.checked = checked && !box.hasAttribute("data-alone");
  }
}

function showEffective(box) {
  box.closest("details").classList.toggle("only-effective", box.checked);
}

function showTab(tab) {
  for (const other of $$("[role=tab]", tab.parentElement)) {
    other.setAttribute("aria-selected", String(other === tab));
    document.getElementById(other.dataset.target).hidden = other !== tab;
  }
  drawDiagrams();
}

// Choosing an option that asks for words leads to them.
document.addEventListener("change", (event) => {
  if (!event.target.matches(".card.pending .opt > input:checked")) return;
  $(".child textarea", event.target.closest(".opt"))?.focus();
});

// A column needs its table; an option that stands alone excludes the others.
document.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.matches(".card.pending input[type=checkbox][name=choices]")) return;
  const boxes = $$("input[type=checkbox][name=choices]", box.closest("form"));
  if (box.checked && box.dataset.parent) {
    const parent = boxes.find((other) => other.value === box.dataset.parent);
    if (parent) parent.checked = true;
  }
  if (!box.checked) {
    for (const leaf of boxes) if (leaf.dataset.parent === box.value) leaf.checked = false;
  }
  if (box.checked) {
    for (const other of boxes) {
      if (other !== box && (box.hasAttribute("data-alone") || other.hasAttribute("data-alone"))) other.checked = false;
    }
  }
});

// A dialog arrives as a fragment and opens itself; it leaves when it is closed.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "dialog-host") return;
  const dialog = $("dialog", event.detail.target);
  if (dialog && !dialog.open) dialog.showModal();
});
document.addEventListener("thoth:close-dialog", () => $("dialog[open]")?.close());
document.addEventListener("thoth:refresh", refreshSoon);

// A form that makes something is sent once, and again only after coming back to the page.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (form.dataset.sent === "1") event.preventDefault();
  form.dataset.sent = "1";
  $("button[type=submit]", form)?.setAttribute("aria-busy", "true");
});
addEventListener("pageshow", () => {
  for (const form of $$("[data-once]")) delete form.dataset.sent;
});

function count(field) {
  const out = document.getElementById(field.dataset.count);
  const length = [...field.value].length;
  out.textContent = length ? `${length} / ${out.dataset.max}` : "";
}
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-count]")) count(event.target);
});

// How long a step has been running.
function tick() {
  for (const node of $$("[data-since]")) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(node.dataset.since)) / 1000));
    node.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}
setInterval(tick, 1000);

// Should an event have been missed, a page that says "working" does not say so for ever.
setInterval(() => { if ($("#live[data-status=running]") && !document.hidden) refresh(); }, 10000);

// --- diagrams: drawn where Mermaid was fetched, else their text stays readable --------------------
let drawn = 0;
function drawDiagrams(again = false) {
  if (!window.mermaid) return;
  const styles = getComputedStyle(document.documentElement);
  const color = (name) => styles.getPropertyValue(name).trim();
  mermaid.initialize({
    startOnLoad: false, securityLevel: "strict", flowchart: { wrappingWidth: 420, htmlLabels: true }, theme: "base", fontFamily: "inherit",
    themeVariables: {
      primaryColor: color("--surface-2"), primaryTextColor: color("--ink"), primaryBorderColor: color("--line"),
      lineColor: color("--ink-3"), secondaryColor: color("--accent-soft"), tertiaryColor: color("--surface"),
      clusterBkg: color("--surface"), clusterBorder: color("--accent"), edgeLabelBackground: color("--bg"),
    },
  });
  for (const source of $$(".mermaid-source, .markdown code.language-mermaid")) {
    const box = source.closest("[role=tabpanel], details, pre");
    if (box.hidden || box.open === false || (source.dataset.drawn && !again)) continue;
    source.dataset.drawn = "1";
    mermaid.render(`diagram${drawn += 1}`, source.textContent).then(({ svg }) => {
      const pre = source.closest("pre");
      pre.hidden = true;
      pre.nextElementSibling?.matches(".drawn") && pre.nextElementSibling.remove();
      const host = document.createElement("div");
      host.className = "drawn";
      host.innerHTML = svg; // Mermaid's own output under securityLevel strict
      pre.after(host);
    }).catch(() => { source.dataset.drawn = ""; });
  }
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.diagram[open]")) drawDiagrams();
}, true);

// --- the grid of a result: pages come from the server --------------------------------------------
function gridTheme() {
  const value = (name) => `var(${name})`;
  return agGrid.themeQuartz.withParams({
    backgroundColor: value("--surface"), foregroundColor: value("--ink"), borderColor: value("--line"),
    accentColor: value("--accent"), headerBackgroundColor: value("--surface-2"), headerTextColor: value("--ink-2"),
    rowHoverColor: value("--surface-2"), fontFamily: "inherit", fontSize: 14, spacing: 6,
  });
}

const PAGE_SIZES = [25, 100, 1000];

// An average has more digits than anybody reads; the tooltip and the CSV have all of them.
// The same rule as `short_number` of the templates: four decimals, half up, never to zero.
const FOUR_DECIMALS = new Intl.NumberFormat("en", { useGrouping: false, minimumFractionDigits: 4, maximumFractionDigits: 4 });

function shortNumber(text) {
  if (!/^-?\d+\.\d{5,}$/.test(text ?? "")) return text;
  const rounded = FOUR_DECIMALS.format(text);  // a string is formatted digit by digit, not as a float
  return Number(rounded) === 0 ? text : rounded;
}

function startGrid() {
  const host = $("#grid[data-url]");
  if (!host || host.dataset.started || !window.agGrid) return;
  host.dataset.started = "1";
  const columns = JSON.parse($("#grid-columns").textContent);
  const total = Number(host.dataset.total);
  const toRow = (cells) => Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]));
  const source = {
    getRows: (params) => {
      const size = params.endRow - params.startRow;
      fetch(`${host.dataset.url}?offset=${params.startRow}&size=${size}`, { headers: { Accept: "application/json" } })
        .then((response) => (response.ok ? response.json() : Promise.reject(response)))
        .then((page) => params.successCallback(page.rows.map(toRow), page.total))
        .catch(() => { params.failCallback(); toast(document.body.dataset.offline); });
    },
  };
  $("#grid-plain")?.remove();
  host.hidden = false;
  const paged = total > PAGE_SIZES[0];
  host.style.height = `${Math.min(total, paged ? 10 : PAGE_SIZES[0]) * 34 + 40 + (paged ? 50 : 0)}px`;
  const sizes = PAGE_SIZES.filter((size) => size < total).concat(total);
  agGrid.createGrid(host, {
    theme: gridTheme(),
    columnDefs: columns.map((column, index) => ({
      field: `c${index}`, headerName: column.name, sortable: false,
      cellClass: column.numeric ? "num" : "", headerClass: column.numeric ? "ag-right-aligned-header" : "", valueFormatter: (cell) => (column.numeric ? shortNumber(cell.value) : cell.value) ?? (cell.data ? "NULL" : ""),
      tooltipValueGetter: (cell) => (column.numeric && shortNumber(cell.value) !== cell.value ? cell.value : null),
    })),
    defaultColDef: { resizable: true, flex: 1, minWidth: 120 },
    rowModelType: "infinite", datasource: source, cacheBlockSize: 100,
    rowHeight: 34, headerHeight: 36, pagination: paged, paginationPageSize: sizes[0], paginationPageSizeSelector: sizes,
    localeText: JSON.parse(host.dataset.words),
    enableCellTextSelection: true, suppressCellFocus: false,
  });
}

addEventListener("DOMContentLoaded", () => {
  connect();
  startGrid();
  drawDiagrams();
  tick();
  for (const field of $$("[data-count]")) count(field);
  for (const dialog of $$("main dialog")) dialog.show();
  const card = $(".card.pending, #stopped");
  if (card) show(card);
});
