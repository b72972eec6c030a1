// app.js - the page as a whole: its elements, the worker, and opening a log that is dropped, chosen or in the page.

const element = (id) => document.getElementById(id);
function add(parent, kind, name, text) {
  const made = parent.appendChild(document.createElement(kind));
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

// ---- The worker

// In a page of `pith serve`, the element "served" has a part of the worker (viewer/serve).
const workerParts = ["worker", "served"].map((name) => element(name)?.textContent || "");
const worker = new Worker(URL.createObjectURL(new Blob(workerParts, { type: "text/javascript" })));
const waiting = new Map(); // calls by their number
let callNumber = 0;
worker.addEventListener("message", ({ data: { id, result, error, part } }) => {
  if (part !== undefined) {
    tellProgress(part);
    return;
  }
  const { done, fail } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) done(result);
  else fail(new Error(error));
});
// The worker may fail to run, for example where WebAssembly is switched off.
worker.addEventListener("error", (event) => say(event.message || "this browser cannot run the page's program", true));
const ask = (call, ...args) => new Promise((done, fail) => {
  waiting.set(++callNumber, { done, fail });
  const given = args.filter((arg) => arg instanceof Uint8ClampedArray).map(({ buffer }) => buffer); // not copied
  worker.postMessage({ id: callNumber, call, args }, given);
});

// ---- Messages

function say(text, isAlarm) {
  element("said").textContent = text;
  element("said").classList.toggle("alarm", Boolean(isAlarm));
}
let doing = "";
function tellProgress(part) {
  if (doing) say(`${doing} ${Math.round(part * 100)} %`);
}

// ---- The log

let log = null; // the open log: the facts from the core, `name`, and times as BigInt; null: none
let openNumber = 0; // number of the newest attempt to open; an older attempt that ends later shows nothing

const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
const count = (value, name) => `${number(value)} ${name}${value === 1 ? "" : "s"}`;

// files: [{ name, blob }]; a file inside the page has base64 instead of the blob; a file of `pith serve` has url, size
// and version. The log is the file that is no companion of another file (Paraver's .pcf and .row, notes). `page`: how
// the page shows the log inside it: { title, words, grey, clock, note, part, known }. Its address may name a view.
async function openLog(files, page) {
  const isBeside = ({ name }) => /\.(pcf|row|notes)$|^functions\.pith$/.test(name);
  const mine = ++openNumber, sorted = [...files].sort((a, b) => isBeside(a) - isBeside(b));
  if (!sorted.length) return;
  restThen(0);
  doing = `opening ${sorted[0].name}`;
  say(doing);
  try {
    const facts = await ask("open", sorted, page);
    if (mine !== openNumber) return;
    log = { ...facts, name: (page && page.title) || sorted[0].name };
    for (const key of Object.keys(facts)) if (/(^|_)(from|to)$/.test(key)) log[key] = BigInt(facts[key]);
  } catch (error) {
    if (mine !== openNumber) return;
    log = null;
    document.body.classList.remove("has-log");
    element("drop").hidden = false;
    say(error.message, true);
    return;
  } finally {
    doing = "";
    document.body.dataset.opened = mine; // this attempt has ended
  }
  document.body.classList.add("has-log");
  document.title = `${log.name} \u2013 Pith`;
  say("");
  const lanes = log.lanes === log.ranks ? [] : [count(log.lanes, "thread")];
  element("name").textContent = log.name;
  element("picture").setAttribute("aria-label", `time lines of ${log.name}`);
  element("facts").textContent = [`${log.format} log`, count(log.ranks, "rank"), ...lanes, count(log.records, "record"),
    ...(log.messages ? [count(log.messages, "message")] : []),
    ...(page && page.part ? ["a part of the log"] : [])].join(", ");
  const trouble = [page && page.note, log.incomplete && `incomplete: ${log.incomplete}`, log.damage,
    log.lost && `at least ${count(log.lost, "record")} lost`];
  element("trouble").textContent = trouble.filter((text) => text).join("; ");
  beginPicture(Boolean(page));
  beginTables();
}

// ---- Ways to open

element("choose").addEventListener("click", () => element("file").click());
element("file").addEventListener("change", ({ target }) => {
  openLog([...target.files].map((blob) => ({ name: blob.name, blob })));
  target.value = ""; // the same file can be chosen again
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dragged");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dragged");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragged");
  openLog([...event.dataTransfer.files].map((blob) => ({ name: blob.name, blob })));
});

// The page shows at once whether a log inside it is being opened, or a log is to be dropped on it. The worker gets all
// its calls now, so that it need not wait for the page in between. (A page of `pith serve` does not contain the
// program: the browser keeps it.)
async function start() {
  const inside = [...document.querySelectorAll("script.log")];
  const page = inside.length ? JSON.parse(element("shown").textContent) : null;
  const fileOf = ({ dataset, textContent }) => ({ name: dataset.name, base64: textContent });
  let program = element("wasm").textContent;
  try {
    if (element("served")) program = await servedProgram;
  } catch (error) {
    say(error instanceof WebAssembly.CompileError ? `this browser cannot run the page's program: ${error.message}`
      : "pith serve does not answer; is it still running, and the connection up?", true);
    return;
  }
  const ready = ask("start", program);
  const coloured = setTheme(page && page.theme ? page.theme === "dark" : prefersDark.matches).catch(() => {});
  const opened = page && openLog(inside.map(fileOf), page);
  try {
    await ready;
  } catch (error) {
    await opened;
    say(`this browser cannot run the page's program: ${error.message}`, true);
    return;
  }
  await coloured;
  if (element("served")) openServed();
  else if (!page) element("drop").hidden = false;
  document.body.dataset.started = "";
}
