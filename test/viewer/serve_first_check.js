// serve_first_check.js BUILD LOG DIGEST FIRST - what `pith --prepare` has chosen for the first picture of a page, as
// far_worker.js reads it: the picture needs no request more, and is the same without it and from a whole file. TAP.
const fs = require("fs"), vm = require("vm"), path = require("path");

const [build, log, digest, firsts] = process.argv.slice(2), read = (name) => fs.readFileSync(name);
const script = (name, value) => vm.runInThisContext(`${read(name)};${value}`);
const files = { log: read(log), digest: read(digest) };
let requests = 0;
globalThis.XMLHttpRequest = class {
  open(method, url) { [this.url, this.bytes] = url.split("&bytes="); }
  setRequestHeader(name, value) { this[name] = value; }
  send() {
    const ranges = this.bytes.split(",").map((range) => range.split("-").map(Number)), data = files[this.url];
    const all = Buffer.concat(ranges.map(([from, to]) => data.subarray(from, to + 1)));
    requests++;
    this.status = 200;
    this.response = all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
  }
};
const far = script(path.join(__dirname, "../../viewer/serve/far_worker.js"), "far");
const pithCore = script(path.join(build, "gen/page/core.js"), "pithCore");
const program = new WebAssembly.Module(read(path.join(build, "share/pith/page/pith.wasm")));

// As far_page.js takes them: parts of the log, its digest, its sketch, and what is known of it.
const chosen = [], data = read(firsts);
for (let at = 0; at < data.length;) {
  const [number, page, size] = [0, 4, 8].map((place) => data.readUInt32LE(at + place));
  chosen.push({ number, page, bytes: new Uint8Array(data.subarray(at + 12, at + 12 + size)) });
  at += 12 + size;
}
const bytesOf = (number) => chosen.filter((part) => part.number === number).map(({ bytes }) => bytes);
const [known] = bytesOf(3).map((bytes) => JSON.parse(Buffer.from(bytes)));
const sketches = bytesOf(2).map((bytes) => ({ name: `${log}.sketch`, size: bytes.length,
  read: (at, size) => bytes.subarray(at, at + size) }));
const NO_ARROWS = 4, QUICK = 16, COARSE = 128; // as in picture.js
// The pictures with these flags, one after the other.
function pictures(fileOf, more, ...flags) {
  const host = { textWidth: (text, size) => 0.5 * size * text.length, textMask: () => null, progress: () => {} };
  const core = pithCore(program, host);
  const files = [["log", log, 0], ["digest", `${log}.digest`, 1]].map((file) => fileOf(...file));
  const facts = core.open([...files, ...more], more.length ? known : undefined);
  return flags.map((flag) => {
    const { pixels, coarse } = core.draw({ from: BigInt(facts.work_from), to: BigInt(facts.work_to), width: 1568,
      height: 660, scale: 1, flags: flag | NO_ARROWS, first: 0, rowHeight: 10 });
    return { pixels: Buffer.from(pixels), coarse, requests };
  });
}
const served = (parts) => (url, name, number) =>
  far({ name, url, size: files[url].length, version: "v", parts: parts.filter((part) => part.number === number) });

let count = 0;
const ok = (isGood, what, why) => {
  console.log(`${isGood ? "ok" : "not ok"} ${++count} - ${what}`);
  if (!isGood) console.log(`#   ${why}`);
};
const inMemory = (data, name) => ({ name, size: data.length, read: (at, size) => data.subarray(at, at + size) });
const whole = (flags) => pictures((url, name) => inMemory(files[url], name), [], flags)[0].pixels;
const isLarge = sketches.length > 0;
const [first, next] = pictures(served(chosen), sketches, isLarge ? QUICK | COARSE : 0, isLarge ? QUICK : 0);
ok(first.requests === 0, "the first picture needs no request more", first.requests);
ok(Boolean(first.coarse) === isLarge && !next.coarse, "it says whether it is coarse");
// A pixel in the plot may have the colour of the state beside it.
const exact = whole(isLarge ? QUICK : 0);
let alike = 0;
for (let at = 0; at < exact.length; at += 4) alike += exact.readUInt32LE(at) === first.pixels.readUInt32LE(at);
ok(isLarge ? alike > 0.9 * exact.length / 4 : alike === exact.length / 4, "it shows what the exact one shows",
  4 * alike / exact.length);
ok(next.pixels.equals(exact), "the next one is exact");
ok(pictures(served([]), [], isLarge ? QUICK : 0)[0].pixels.equals(exact) && requests > 0, "as one without it");
ok(pictures(served(chosen.filter((_, i) => i % 3)), [], isLarge ? QUICK : 0)[0].pixels.equals(exact),
  "and one with a part of it");
console.log(`1..${count}`);
