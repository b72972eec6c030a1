// serve_first_check.js BUILD LOG DIGEST FIRST - what `pith --prepare` has chosen for the first picture of a page, as
// far_worker.js reads it: the picture needs no request more, and is the same without it and from a whole file. TAP.
const fs = require("fs"), vm = require("vm"), path = require("path");

const [build, log, digest, first] = process.argv.slice(2), read = (name) => fs.readFileSync(name);
const script = (name, value) => vm.runInThisContext(`${read(name)};${value}`);
const files = { log: read(log), digest: read(digest) };
let requests = 0;
globalThis.XMLHttpRequest = class {
  open(method, url) { this.url = url; }
  setRequestHeader(name, value) { this[name] = value; }
  send() {
    const ranges = this.Range.slice(6).split(",").map((range) => range.split("-").map(Number)), data = files[this.url];
    const parts = ranges.map(([from, to]) => data.subarray(from, to + 1));
    const head = Buffer.from("\r\n--b\r\n\r\n");
    const all = ranges.length === 1 ? parts[0] : Buffer.concat(parts.flatMap((part) => [head, part]));
    requests++;
    this.status = 206;
    this.response = all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
  }
};
const far = script(path.join(__dirname, "../../viewer/serve/far_worker.js"), "far");
const pithCore = script(path.join(build, "gen/page/core.js"), "pithCore");
const program = new WebAssembly.Module(read(path.join(build, "share/pith/page/pith.wasm")));

// As far_page.js takes them.
const chosen = [], data = read(first);
for (let at = 0; at < data.length;) {
  const [number, page, size] = [0, 4, 8].map((place) => data.readUInt32LE(at + place));
  chosen.push({ number, page, bytes: new Uint8Array(data.subarray(at + 12, at + 12 + size)) });
  at += 12 + size;
}
function picture(fileOf) {
  const host = { textWidth: (text, size) => 0.5 * size * text.length, textMask: () => null, progress: () => {} };
  const core = pithCore(program, host);
  const facts = core.open([["log", log, 0], ["digest", `${log}.digest`, 1]].map((file) => fileOf(...file)));
  const NO_ARROWS = 4, QUICK = 16; // as in picture.js
  const { pixels } = core.draw({ from: BigInt(facts.work_from), to: BigInt(facts.work_to), width: 1568, height: 660,
    scale: 1, flags: NO_ARROWS | (facts.large ? QUICK : 0), first: 0, rowHeight: 10 });
  return Buffer.from(pixels);
}
const served = (parts) => (url, name, number) =>
  far({ name, url, size: files[url].length, version: "v", parts: parts.filter((part) => part.number === number) });

let count = 0;
const ok = (isGood, what, why) => {
  console.log(`${isGood ? "ok" : "not ok"} ${++count} - ${what}`);
  if (!isGood) console.log(`#   ${why}`);
};
const inMemory = (data, name) => ({ name, size: data.length, read: (at, size) => data.subarray(at, at + size) });
const whole = picture((url, name) => inMemory(files[url], name));
const quick = picture(served(chosen)), needed = requests;
ok(needed === 0, "the first picture needs no request more", needed);
ok(quick.equals(whole), "it is the one of the whole file");
ok(picture(served([])).equals(whole) && requests > 0, "and the one that is made without it");
ok(picture(served(chosen.filter((_, i) => i % 3))).equals(whole), "and with a part of it");
console.log(`1..${count}`);
