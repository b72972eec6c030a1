// link.js - the address of the page has what is shown, so that a link keeps it:
// page.html#1.2-1.4&select=1.25-1.3&hide=MPI_Recv,io&row=12 (times in seconds).

const keyOf = (entry) => encodeURIComponent(entry.kind === "state" ? entry.name : `${entry.kind}:${entry.name}`);
const timesOf = (from, to) => `${secondsAt(from)}-${secondsAt(to)}`;

function linkText() {
  const hidden = data.names.filter((entry) => entry.hidden).map(keyOf), row = Math.round(rows.scrollTop / rowHeight);
  return [
    view.from > data.from || view.to < data.to ? timesOf(view.from, view.to) : "",
    selection ? `select=${timesOf(...selection)}` : data.selected ? "select=none" : "",
    hidden.length ? `hide=${hidden.join(",")}` : "",
    row ? `row=${row}` : "",
  ].filter((part) => part).join("&");
}

function readTimes(text) {
  const found = /^(-?\d*)(\.\d*)?-(-?\d*)(\.\d*)?$/.exec(text || "");
  // The base is subtracted from the whole seconds first: a number with all digits would be rounded.
  const timeOf = (whole, rest = "") =>
    Math.round(`${data.base ? whole - data.base / 1e9 : whole}${rest}` * 1e9) || 0;
  const [from, to] = found ? [timeOf(found[1], found[2]), timeOf(found[3], found[4])] : [0, 0];
  return to > from ? [from, to] : null;
}
// Shows what the part of an address from # on says.
function readLink(hash) {
  const parts = new Map(hash.slice(1).split("&").map((part) => {
    const [name, value] = part.split("=");
    return value === undefined ? ["view", name] : [name, value];
  }));
  const hidden = (parts.get("hide") || "").split(","), stretch = readTimes(parts.get("select"));
  for (const entry of data.names) entry.hidden = hidden.includes(keyOf(entry));
  showHidden();
  setView(...readTimes(parts.get("view")) || [data.from, data.to]);
  if (stretch) select(stretch);
  else select(parts.has("select") ? null : data.selected || null);
  rows.scrollTop = (parts.get("row") || 0) * rowHeight;
}

// Browsers limit the number of changes of the address: it follows after a moment of rest.
let linkTimer = 0;
function keepLink() {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(writeLink, 200);
}
function writeLink() {
  const text = linkText();
  if (`#${text}` === (location.hash || "#")) return;
  try {
    history.replaceState(null, "", text ? `#${text}` : location.href.replace(/#.*/, ""));
  } catch {
    location.hash = text; // a page without an address of its own
  }
}

// Without the clipboard, the text is selected for Ctrl-C.
async function copyLink() {
  writeLink();
  try {
    await navigator.clipboard.writeText(location.href);
    say("link copied");
  } catch {
    say(location.href);
    getSelection().selectAllChildren(said);
  }
}
// By the time of this event, writeLink may have replaced the address.
addEventListener("hashchange", (event) => readLink(event.newURL.replace(/^[^#]*/, "")));
