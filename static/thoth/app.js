// Keyboard, live updates, theme. No framework: htmx swaps the fragments, this file wires the rest.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);

// --- theme: system by default, one click to the other ------------------------------------------
const savedTheme = localStorage.getItem("thoth-theme");
if (savedTheme) document.documentElement.dataset.theme = savedTheme;

function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("thoth-theme", next);
}

// --- live: the server pushes numbers, the page asks for fragments ------------------------------
let stream = null;
let refreshTimer = null;

function refreshSoon() {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => {
    const live = $("#live");
    if (live) htmx.ajax("GET", live.dataset.url, { target: "#live", swap: "outerHTML" });
  }, 60);
}

function showDelta(event) {
  const line = $("#progress-text");
  if (line) line.textContent = JSON.parse(event.data).text.slice(-400);
}

function announce(text) {
  const region = $("#announcer");
  if (region && text) region.textContent = text;
}

function connect() {
  const live = $("#live");
  if (stream) stream.close();
  stream = null;
  if (!live || !live.dataset.events) return;
  stream = new EventSource(live.dataset.events);
  const kinds = ["ui_request", "ui_superseded", "info", "model_started", "model_finished",
    "model_failed", "system_event", "artifact_changed"];
  for (const kind of kinds) stream.addEventListener(kind, refreshSoon);
  stream.addEventListener("text_delta", showDelta);
  stream.addEventListener("end", () => stream.close());
}

// A pending widget that somebody is typing in must survive a refresh that brings the same widget.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "live" || event.detail.xhr.status >= 400) return;
  const parsed = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  const fresh = $("#live", parsed);
  const mine = $("#live");
  const byRefresh = (event.detail.requestConfig.verb || "get").toLowerCase() === "get";
  if (byRefresh && fresh && mine && fresh.dataset.state === mine.dataset.state) {
    event.detail.shouldSwap = false;
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "live" && event.detail.target?.id !== "live") return;
  const card = $(".card.pending");
  const others = document.activeElement && document.activeElement.closest(".steer, dialog, aside");
  if (card && !others) card.focus({ preventScroll: true });
  if (card) {
    card.scrollIntoView({ block: "nearest" });
    announce(card.dataset.title);
  }
  startGrid();
});

// --- keyboard: the shortcuts are printed on the buttons ----------------------------------------
function typing(target) {
  return target.closest("textarea, select, input[type=text], input[type=search], [contenteditable]");
}

function pickOption(number) {
  const inputs = document.querySelectorAll(".card.pending .opts > .opt > input");
  const input = inputs[number - 1];
  if (!input) return;
  input.click();
  input.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if ($("dialog[open]")) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (/^[1-9]$/.test(event.key)) return pickOption(Number(event.key));
  if (event.key === "Enter" && !event.target.closest("a, button, summary")) {
    const submit = $(".card.pending [data-key=Enter]");
    if (submit) { event.preventDefault(); submit.click(); }
    return;
  }
  const wanted = $(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (wanted) { event.preventDefault(); wanted.click(); }
});

// --- small behaviours, by attribute ------------------------------------------------------------
document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-do]");
  if (!target) return;
  const actions = {
    theme: toggleTheme,
    aside: () => document.body.classList.toggle(innerWidth > 1100 ? "hide-aside" : "show-aside"),
    nav: () => document.body.classList.toggle("show-nav"),
    reveal: () => {
      const box = document.getElementById(target.dataset.target);
      box.hidden = !box.hidden;
      if (!box.hidden) $("textarea, input", box)?.focus();
    },
    "close-dialog": () => target.closest("dialog").close(),
    "select-all": () => setAll(target, true),
    "clear-all": () => setAll(target, false),
    copy: () => navigator.clipboard?.writeText(document.getElementById(target.dataset.target).textContent),
  };
  actions[target.dataset.do]?.();
});

function setAll(button, checked) {
  for (const box of button.closest("form").querySelectorAll(".opts input[type=checkbox][name=choices]")) {
    box.checked = checked;
  }
}

// A dialog arrives as a fragment and opens itself.
document.addEventListener("htmx:afterSwap", (event) => {
  const dialog = event.detail.target.matches?.("#dialog-host") && $("dialog", event.detail.target);
  if (dialog && !dialog.open) dialog.showModal();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent === "1") event.preventDefault();
  if (form.matches("[data-once]")) form.dataset.sent = "1";
});

// --- the grid of a result ----------------------------------------------------------------------
function startGrid() {
  const host = $("#grid[data-url]");
  if (!host || host.dataset.started || !window.agGrid) return;
  host.dataset.started = "1";
  const columns = JSON.parse($("#grid-columns").textContent);
  const source = {
    getRows: (params) => {
      const size = params.endRow - params.startRow;
      fetch(`${host.dataset.url}?offset=${params.startRow}&size=${size}`)
        .then((response) => (response.ok ? response.json() : Promise.reject(response)))
        .then((page) => params.successCallback(page.rows.map(toRow), page.total))
        .catch(() => params.failCallback());
    },
  };
  const toRow = (cells) => Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]));
  agGrid.createGrid(host, {
    columnDefs: columns.map((column, index) => ({
      field: `c${index}`, headerName: column.name, sortable: false,
      cellClass: column.numeric ? "num" : "", valueFormatter: (cell) => cell.value ?? "NULL",
    })),
    defaultColDef: { resizable: true, flex: 1, minWidth: 120 },
    rowModelType: "infinite", datasource: source, cacheBlockSize: 100,
    pagination: true, paginationPageSize: 25, paginationPageSizeSelector: [10, 25, 50, 100, 1000],
    enableCellTextSelection: true, domLayout: "normal",
  });
}

addEventListener("DOMContentLoaded", () => {
  connect();
  startGrid();
  $(".card.pending")?.focus({ preventScroll: true });
});
