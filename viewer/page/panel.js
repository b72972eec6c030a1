// panel.js - the elements of the page: buttons, search, canvases, lists, the table of names. The table is the legend:
// it hides and shows names, and has the figures of the selection, or of the whole page.

function add(parent, tag, name, text) {
  const element = parent.appendChild(document.createElement(tag));
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}
const body = document.body;
add(body, "h1", "", data.title);
const facts = add(body, "div", "facts");
add(facts, "span", "faint", data.subtitle);
// The time shown. In the bar, a long text would begin a new line, and the rows below would jump while they are zoomed.
const windowText = add(facts, "span", "window");
if (data.damage) add(body, "div", "alarm", `${data.damage} (the rest is drawn; red lines: records are missing)`);
const bar = add(body, "div", "bar");
const rows = add(body, "div", "rows");
rows.tabIndex = 0;
rows.setAttribute("aria-label", "time lines: ? shows the keys");
const tall = add(rows, "div");
const canvas = add(tall, "canvas");
const axis = add(body, "canvas", "axis");
const overview = add(body, "canvas", "overview");
const finer = add(body, "div", "finer");
// Where the run waits most: a click zooms to the longest wait state.
const findings = add(body, "ol");
for (const { name, text, from, to } of data.findings || []) {
  const link = add(add(findings, "li"), "button", "", name);
  link.title = "zoom to the longest";
  link.addEventListener("click", () => setView(from - 4 * (to - from), to + 4 * (to - from)));
  link.parentNode.append(` ${text}`);
}
findings.hidden = !data.findings;
// The notes: a click brings one into the middle.
const notes = data.notes || [], noteList = add(body, "ol");
noteList.className = "notes";
for (const { at, row, text } of notes) {
  const link = add(add(noteList, "li"), "button", "", text);
  link.addEventListener("click", () => setView(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2));
  if (row < 0) link.parentNode.append(" (its row is not shown)");
}
noteList.hidden = !notes.length;
const stretchLine = add(body, "div", "stretch"), stretchText = add(stretchLine, "span");
const table = add(body, "table");
const tip = add(body, "div", "tip");

// ---- Buttons

function button(text, title, run) {
  const element = add(bar, "button", "", text);
  element.title = title;
  element.addEventListener("click", run);
  return element;
}
button("Fit", "all (f)", () => setView(data.from, data.to));
button("+", "zoom in (+)", () => zoom(0.5));
button("\u2212", "zoom out (-)", () => zoom(2));
button("\u25c0", "to the left", () => pan(-0.5));
button("\u25b6", "to the right", () => pan(0.5));
const messages = button("Messages", "on and off (m)", toggleArrows);
const waits = data.waits && button("Waiting", "hatched, on and off (W)", toggleWaits);
const critical = data.path && button("Critical path", "on and off (c)", togglePath);
const searchBox = add(bar, "input", "search");
searchBox.type = "search";
searchBox.placeholder = "Find (/)";
searchBox.title = "Part of a name, or a pattern: MPI_*. With a duration: MPI_Recv > 2ms. "
  + "Enter: next hit, Shift-Enter: previous hit.";
searchBox.setAttribute("aria-label", "find states and events");
searchBox.addEventListener("input", () => find(searchBox.value));
searchBox.addEventListener("keydown", (event) => {
  if (event.key === "Escape") rows.focus();
  else if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
  else return;
  event.preventDefault();
  event.stopPropagation();
});
button("Copy link", "a link to what is shown, with the selection", copyLink);
const themeButton = button("Dark", "light or dark (t)", switchTheme);
button("?", "keys (?)", toggleKeys);
const said = add(bar, "span", "said");
said.setAttribute("role", "status");
const say = (text) => { said.textContent = said.title = text; };

// Hides messages that are seen, and shows them if they are not.
function toggleArrows() {
  arrowsAll = areLeftOut();
  arrowsOn = arrowsAll || !arrowsOn;
  redraw();
}
function nameMessages() {
  messages.textContent = areLeftOut() ? `Messages (would cover ${percent(Math.min(1, coverInView()))})`
    : "Messages";
  messages.setAttribute("aria-pressed", arrowsOn && !areLeftOut());
}
function toggleWaits() {
  if (!waits) return;
  waitsOn = !waitsOn;
  waits.setAttribute("aria-pressed", waitsOn);
  redraw();
}
function togglePath() {
  if (!critical) return;
  pathOn = !pathOn;
  critical.setAttribute("aria-pressed", pathOn);
  redraw();
}
if (waits) waits.setAttribute("aria-pressed", waitsOn);
if (critical) critical.setAttribute("aria-pressed", pathOn);

// ---- The table

const columnsOfTable = [["name", "state"], ["count", "count"], ["inclusive", "total"], ["exclusive", "self"],
  ["share", "share"]];
const head = add(add(table, "thead"), "tr"), lines = add(table, "tbody");
let sorted = "exclusive", isBackward = false;
for (const [key, title] of columnsOfTable)
  add(head, "th", "", title).addEventListener("click", () => {
    isBackward = sorted === key && !isBackward;
    sorted = key;
    sortTable();
  });

// Events and counters have no times: they come last, by count.
function sortTable() {
  const entries = data.computing.line ? [...data.names, data.computing] : [...data.names];
  const order = entries.sort((a, b) => sorted === "name" ? a.name.localeCompare(b.name)
    : b.shown[sorted] - a.shown[sorted] || b.shown.count - a.shown.count);
  for (const entry of isBackward ? order.reverse() : order) lines.append(entry.line);
  if (lines.messages) lines.append(lines.messages);
}
for (const entry of data.names) {
  const line = entry.line = add(lines, "tr"), cell = add(line, "td"), label = add(cell, "label");
  const box = entry.box = add(label, "input");
  box.type = "checkbox";
  box.addEventListener("change", () => hide(entry, !box.checked));
  add(label, "span", `colour ${entry.kind}`).style.background = entry.colour;
  label.append(entry.name);
  cell.title = `${entry.name}\nclick: hide or show; double click or Alt-click: show only this`;
  label.addEventListener("dblclick", () => showOnly(entry));
  label.addEventListener("click", (event) => {
    if (!event.altKey) return;
    event.preventDefault();
    showOnly(entry);
  });
  entry.cells = columnsOfTable.slice(1).map(() => add(line, "td"));
}
// Time outside all states.
if (data.computing.exclusive > 0) {
  const entry = data.computing, line = entry.line = add(lines, "tr"), cell = add(line, "td");
  add(cell, "span", "colour computing");
  cell.append(entry.name);
  entry.cells = columnsOfTable.slice(1).map(() => add(line, "td"));
}
if (data.messages) {
  lines.messages = add(lines, "tr");
  const cell = add(lines.messages, "td");
  add(cell, "span", "colour message");
  cell.append("messages");
  add(lines.messages, "td", "", number(data.messages));
}

function showHidden() {
  for (const entry of data.names) {
    entry.box.checked = !entry.hidden;
    entry.line.classList.toggle("hidden", !!entry.hidden);
  }
}

// Fills the table with the figures of the selection, or of the whole page.
function fillTable() {
  const found = selection && sumsOf(...selection);
  data.names.forEach((entry, sign) => {
    entry.shown = found ? found.sums[sign] : entry;
    if (found) entry.shown.share = entry.shown.exclusive / (found.to - found.from) / lanes;
    const { count, inclusive, exclusive, share } = entry.shown, isState = entry.kind === "state";
    const hasCount = !found || found.counts || !isState, hasOwn = isState && (!found || found.exclusives);
    const texts = [hasCount ? number(count) : "", isState ? duration(inclusive) : "", hasOwn ? duration(exclusive) : "",
      hasOwn ? percent(share) : ""];
    const titles = ["", isState ? seconds(inclusive) : "", hasOwn ? seconds(exclusive) : "", ""];
    entry.cells.forEach((cell, i) => {
      cell.textContent = texts[i];
      cell.title = titles[i];
    });
    entry.line.classList.toggle("absent", !count && !inclusive);
  });
  if (data.computing.line) fillComputing(found);
  if (lines.messages) lines.messages.hidden = !!selection;
  sortTable();
  stretchLine.classList.toggle("selected", !!selection);
  stretchText.textContent = "The whole page:";
  if (found) stretchText.textContent = stretchLineOf(found);
}
function fillComputing(found) {
  const { line, cells, exclusive: whole } = data.computing, isKnown = !found || found.exclusives;
  const exclusive = !found ? whole : isKnown ? found.computing : 0;
  const share = exclusive / (found ? found.to - found.from : span) / lanes;
  data.computing.shown = { count: 0, inclusive: 0, exclusive, share };
  cells[2].textContent = isKnown ? duration(exclusive) : "";
  cells[2].title = isKnown ? seconds(exclusive) : "";
  cells[3].textContent = isKnown ? percent(share) : "";
  line.classList.toggle("absent", !exclusive);
}
function stretchLineOf(found) {
  const [from, to] = selection, unit = unitAt(from, to);
  const text = `Selection: ${duration(to - from)}, ${timeText(from, 1, unit)} \u2013 ${timeText(to, 1, unit)}`;
  if (found.counts) return text;
  return `${text}. The figures are of ${timeText(found.from, 1, unit)} \u2013 ${timeText(found.to, 1, unit)}. `
    + `Exactly${lanes < data.lanes ? ", but of all lanes" : ""}: pith stat ${quoted(data.log)} `
    + `--from ${secondsAt(from)} --to ${secondsAt(to)}`;
}
const clearButton = add(stretchLine, "button", "", "\u00d7");
clearButton.title = "clear the selection (Esc)";
clearButton.addEventListener("click", () => select(null));
