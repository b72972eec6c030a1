// tables.js - the legend, with switches and sums of the time that is shown; the findings; the search.

let findings = null; // of the open log; null: not analyzed

// ---- The legend

// The recorder's own events, for other tools.
const isTool = ({ kind, name }) => kind === "event" && name.startsWith("pith:");
function beginTables() {
  findings = null;
  hit = null;
  element("findings").replaceChildren();
  element("legend").replaceChildren();
}
async function refreshLegend() {
  const of = openNumber, stretch = selection, [from, to] = stretch || [picture.of.from, picture.of.to];
  const found = await ask("legend", from, to).catch((error) => say(error.message, true));
  if (!found || of !== openNumber || stretch !== selection) return;
  const { time, entries } = found;
  const seen = entries.filter(({ id }) => !isTool(log.defs[id]));
  const rows = seen.map(({ id, rgb, count: times, total, self, share }) => {
    const line = document.createElement("tr"), { name, kind, hidden, group } = log.defs[id];
    const first = add(line, "td"), label = add(first, "label"), box = add(label, "input");
    box.type = "checkbox";
    box.checked = !hidden;
    box.addEventListener("change", () => hide(id, !box.checked));
    add(label, "span", `colour ${kind}`).style.background = colour(rgb);
    add(label, "span", "", name);
    line.classList.toggle("hidden", hidden);
    line.title = group;
    line.dataset.id = id;
    add(line, "td", "", number(times));
    if (kind === "state")
      for (const text of [total, self, `${(share * 100).toFixed(1)} %`]) add(line, "td", "", text);
    return line;
  });
  const focused = document.activeElement.closest("tr"); // a new table would lose the focus
  const table = document.createElement("table"), head = add(table.createTHead(), "tr");
  for (const name of ["name", "count", "total", "self", "share"]) add(head, "th", "", name);
  table.createTBody().append(...rows);
  const caption = table.createCaption();
  caption.textContent = stretch ? `Selection: ${time}` : time;
  caption.classList.toggle("selected", Boolean(stretch));
  element("legend").replaceChildren(table);
  if (focused && focused.dataset.id) table.querySelector(`[data-id="${focused.dataset.id}"] input`)?.focus();
}
async function hide(id, isHidden) {
  log.defs[id].hidden = isHidden;
  await ask("hide", id, isHidden);
  redraw();
}
async function showAll() {
  for (const [id, def] of log.defs.entries())
    if (def.hidden && !isTool(def)) await hide(id, false);
}

// ---- Findings

// Analyzes the log, once. Returns true if that is done.
let analyzing = null; // a promise while it goes on
async function analyze() {
  if (findings) return true;
  const of = openNumber;
  doing = "analyzing";
  say(doing);
  try {
    analyzing ||= ask("analyze");
    const found = await analyzing;
    if (of !== openNumber) return false;
    findings = found;
    say("");
  } catch (error) {
    if (of === openNumber) say(error.message, true);
    return false;
  } finally {
    analyzing = null;
    doing = "";
  }
  showFindings();
  return true;
}
function showFindings() {
  const { answer, efficiencies, findings: all } = findings, place = element("findings");
  place.replaceChildren();
  add(place, "h2", "", "Findings");
  if (answer.text) add(place, "p", "answer", answer.text);
  const parts = ["parallel", "load_balance", "communication"].filter((name) => efficiencies[name] !== undefined)
    .map((name) => `${name.replace("_", " ")} ${(efficiencies[name] * 100).toFixed(1)} %`);
  if (parts.length) add(place, "p", "faint", `Efficiencies: ${parts.join(", ")}`);
  for (const finding of all) {
    const block = add(place, "details"), head = add(block, "summary");
    add(head, "b", "", finding.name);
    add(head, "span", "faint", ` ${finding.percent.toFixed(1)} %`);
    add(block, "pre", "", finding.text.trim());
    if (finding.to_ns <= finding.from_ns) continue;
    const button = add(head, "button", "", "show");
    button.addEventListener("click", (event) => {
      event.preventDefault();
      const from = BigInt(finding.from_ns), to = BigInt(finding.to_ns), half = (to - from) / 2n + 1n;
      setView(from - half, to + half);
      select([from, to]);
    });
  }
}

// ---- The search

let hit = null; // the place of the last hit, for the core; null: none
// From the last hit if it is visible, else from an edge of the view. At an end of the log it goes on at the other one.
async function step(isBackwards) {
  const sought = element("search").value.trim(), of = openNumber, LAST = 0xffffffff;
  if (!sought || !log || !picture) return;
  const edge = (from, to) => isBackwards ? [to, 0, 0] : [from - 1n, LAST, LAST];
  const isSeen = hit && hit.time >= view.from && hit.time < view.to;
  let found, isAround = false;
  try {
    const start = isSeen ? [hit.time, hit.lane, hit.tie] : edge(view.from, view.to);
    found = await ask("find", sought, ...start, isBackwards);
    isAround = !found.lines;
    if (isAround) found = await ask("find", sought, ...edge(log.from, log.to + 1n), isBackwards);
  } catch (error) {
    if (of === openNumber) say(error.message, true);
    return;
  }
  if (of !== openNumber) return;
  if (!found.lines) {
    hit = null;
    say(`${sought}: nothing is found`);
    return;
  }
  hit = { ...found, time: BigInt(found.time), end: BigInt(found.to) };
  say(`${found.lines.join(", ")}${isAround ? ` (on from the ${isBackwards ? "end" : "start"})` : ""}`);
  if (hit.time < view.from || hit.time >= view.to) {
    const from = clamp(hit.time - span() / 2n, log.from, log.to - span());
    setView(from, from + span());
  } else drawMarks();
}
