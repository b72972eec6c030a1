// wasm_run.js MODULE CORE.js SCRIPT - obeys a script of draw_module.c with the module in WebAssembly, in node.
const fs = require("fs"), vm = require("vm");

const [modulePath, corePath, scriptPath] = process.argv.slice(2);
const pithCore = vm.runInThisContext(`${fs.readFileSync(corePath, "utf8")};pithCore`);
const module_ = new WebAssembly.Module(fs.readFileSync(modulePath));
const out = fs.openSync("/dev/stdout", "w");
const put = (data) => {
  const bytes = typeof data === "string" ? Buffer.from(`${data}\n`) : data;
  for (let done = 0; done < bytes.length;) done += fs.writeSync(out, bytes, done);
};
// A mask that depends on the text, as in draw_module.c.
function textMask(text, size, isBold, scale, isRim) {
  const letters = Buffer.from(text), width = 8 + letters.length % 50, height = 6 + Math.trunc(size * scale) % 40;
  const cover = Uint8Array.from({ length: width * height }, (_, i) =>
    letters[i % letters.length] * 7 + i * 3 + isRim * 40 + isBold * 9);
  return { cover, width, height, x: 2, y: 5 };
}
const textWidth = (text, size) => 0.5 * size * [...text].length;
const core = pithCore(module_, { textWidth, textMask, progress: () => {} });
let from = 0n, to = 0n;
for (const line of fs.readFileSync(scriptPath, "utf8").trim().split("\n")) {
  const [word, ...items] = line.split(" "), numbers = items.map(Number);
  try {
    if (word === "open") {
      const beside = items[0].endsWith(".prv") ? [".pcf", ".row"].map((end) => items[0].replace(".prv", end)) : [];
      from = to = 0n;
      const facts = core.raw.open([items[0], ...beside].filter((name) => fs.existsSync(name)).map((name) => {
        const data = fs.readFileSync(name);
        return { name, size: data.length, read: (at, size) => data.subarray(at, at + size) };
      }));
      put(facts);
      ({ from, to } = JSON.parse(facts, (key, value) => key === "from" || key === "to" ? BigInt(value) : value));
    } else if (word === "draw") {
      const [a, b, width, height, scale, flags, first, rowHeight] = numbers;
      const { pixels, rest } = core.raw.draw({ from: from + (to - from) * BigInt(a) / 1000n,
        to: from + (to - from) * BigInt(b) / 1000n, width, height, scale, flags, first, rowHeight });
      put(Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength));
      put(rest);
    } else if (word === "words") {
      put(core.raw.words(`${items.join(" ")}\n`));
    } else if (word === "overview") {
      put(Buffer.from(core.raw.overview(...numbers)));
      put("");
    } else if (word === "at") {
      put(core.raw.at(...numbers));
    } else if (word === "legend") {
      put(core.raw.legend(...numbers.map((part) => from + (to - from) * BigInt(part) / 1000n)));
    } else if (word === "find") {
      put(core.raw.find(items[0], from + (to - from) * BigInt(items[1]) / 1000n, 0, 0, numbers[1] % 2));
    } else if (word === "hide") {
      core.hide(...numbers);
    } else if (word === "theme") {
      core.theme(items[0]);
    } else {
      put(core.raw.analyze());
    }
  } catch (error) {
    put(error.message);
  }
}
