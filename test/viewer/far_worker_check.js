// far_worker_check.js FAR_WORKER.js - far files (viewer/serve/far_worker.js) against their bytes: reads anywhere in
// 6 GB, with and without what is expected, and the limits of requests. Prints TAP.
const fs = require("fs"), vm = require("vm");

let seed = 7, requests = [], status = 200;
const chance = (below) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor(seed / 2147483648 * below);
};
const byteAt = (at) => (at * 31 + Math.floor(at / 251) * 7 + Math.floor(at / 4294967296)) % 256;
globalThis.XMLHttpRequest = class {
  open(method, url, isLater) { [this.bytes, this.isNow] = [url.replace(/.*&bytes=/, ""), !isLater]; }
  setRequestHeader(name, value) { this[name] = value; }
  send() {
    const ranges = this.bytes.split(",").map((range) => range.split("-").map(Number)), parts = [];
    requests.push(ranges);
    this.status = status;
    if (this["If-Match"] !== "\"v1\"" || !this.isNow) this.status = 400;
    for (const [from, to] of ranges)
      parts.push(Buffer.from(Array.from({ length: to - from + 1 }, (_, i) => byteAt(from + i))));
    const all = Buffer.concat(parts);
    this.response = all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
  }
};
vm.runInThisContext(`${fs.readFileSync(process.argv[2], "utf8")};globalThis.far = far;`);

let count = 0;
const ok = (isGood, what, ...why) => {
  console.log(`${isGood ? "ok" : "not ok"} ${++count} - ${what}`);
  if (!isGood) console.log(`#   ${why.join(" ")}`);
};
const isRight = (file, at, size) => {
  const data = file.read(at, size), end = Math.max(0, Math.min(size, file.size - at));
  return data.length === end && data.every((byte, i) => byte === byteAt(at + i));
};
const open = (size) => far({ name: "x.pith", url: "http://x/", size, version: "\"v1\"" });

for (const size of [1, 1023, 1024, 70001, 6e9 + 13]) {
  const file = open(size), wrong = [];
  requests = [];
  for (let i = 0; i < 100; i++) {
    const at = chance(3) ? Math.floor(chance(1e6) / 1e6 * size) : Math.max(0, size - chance(5000));
    for (let k = chance(4) ? 0 : chance(6); k > 0; k--) file.expect(Math.floor(chance(1e6) / 1e6 * size), chance(3000));
    const length = chance(10) ? chance(3000) : chance(200000);
    if (!isRight(file, at, length)) wrong.push(`${at} ${length}`);
  }
  ok(!wrong.length, `100 reads of ${size} bytes`, wrong);
  const worst = Math.max(...requests.map((ranges) => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)));
  ok(worst <= 1 << 20 && Math.max(...requests.map((ranges) => ranges.length)) <= 256, "requests within limits", worst);
  ok(requests.flat().every(([from, to]) => from <= to && to < size), "and within the file");
}
const file = open(6e9);
file.read(0, 10);
requests = [];
for (let i = 0; i < 200; i++) file.expect(1e9 + i * 1e7, 3000);
file.read(1e9, 3000);
ok(requests.length === 1 && requests[0].length === 200, "what is expected comes, too", requests.length);
requests = [];
for (let i = 0; i < 200; i++) file.read(1e9 + i * 1e7, 3000);
ok(!requests.length, "and is then there");
for (let i = 0; i < 300; i++) file.read(2e9 + i * 300000, 300000);
ok(requests.length < 100, "reads in a row bring more each time", requests.length);
requests = [];
file.read(1e9, 10);
ok(requests.length === 1, "what is kept is limited: the oldest goes");
const failed = (wanted) => {
  status = wanted;
  try {
    open(5000).read(0, 10);
  } catch (error) {
    return error.isLost && error.message;
  }
  return "";
};
ok(failed(412) === "x.pith: the log has changed; reload the page", "a log that has changed");
ok(failed(403) === "x.pith: pith serve cannot read it (status 403)", "a server that refuses");
status = 200;
const part = (page, size) => ({ page, bytes: Uint8Array.from({ length: size }, (_, i) => byteAt(page * 256 + i)) });
const given = far({ name: "x.pith", url: "http://x/", size: 5e6 + 7, version: "\"v1\"",
  parts: [part(0, 4096), part(4000, 20480), part(4 * 4882, 839)] });
requests = [];
const ranges = [[0, 4096], [1e6 + 24000, 20000], [4882 * 1024, 839], [4882 * 1024 + 800, 500]];
ok(ranges.every((range) => isRight(given, ...range)) && !requests.length, "what was given is not asked for", requests);
ok(isRight(given, 1e6 + 24000, 30000) && requests.length === 1, "what lies behind it is", requests.length);
console.log(`1..${count}`);
