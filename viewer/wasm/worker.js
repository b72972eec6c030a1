// worker.js - the worker of the page: it has the core (core.js), and answers calls of app.js one after another.

const pen = new OffscreenCanvas(1, 1).getContext("2d");
const host = {
  textWidth: (text, size, isBold) => {
    pen.font = `${isBold ? "bold " : ""}${size}px "DejaVu Sans", Verdana, sans-serif`;
    return pen.measureText(text).width;
  },
  progress: (part) => postMessage({ part }),
};

// A file of the page for the core, read in pieces of a MiB when it is asked for.
function pieces({ name, blob }) {
  const MIB = 1 << 20, kept = new Map(), reader = new FileReaderSync();
  const piece = (number) => {
    if (!kept.has(number)) {
      if (kept.size >= 64) kept.delete(kept.keys().next().value);
      kept.set(number, new Uint8Array(reader.readAsArrayBuffer(blob.slice(number * MIB, (number + 1) * MIB))));
    }
    return kept.get(number);
  };
  const read = (at, size) => {
    const data = new Uint8Array(Math.max(0, Math.min(size, blob.size - at)));
    for (let done = 0; done < data.length;) {
      const from = (at + done) % MIB, whole = piece(Math.floor((at + done) / MIB));
      const part = whole.subarray(from, from + data.length - done);
      data.set(part, done);
      done += part.length;
    }
    return data;
  };
  return { name, size: blob.size, read };
}

let core;
const calls = {
  start: async (packed) => {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    core = pithCore(await WebAssembly.compile(await new Response(stream).arrayBuffer()), host);
  },
  open: (files) => core.open(files.map(pieces)),
  theme: (name) => core.theme(name),
  hide: (id, isHidden) => core.hide(id, isHidden),
  draw: (what) => core.draw(what),
  legend: (from, to) => core.legend(from, to),
  at: (x, y) => core.at(x, y),
  find: (...what) => core.find(...what),
  analyze: () => core.analyze(),
};
let last = Promise.resolve();
addEventListener("message", ({ data: { id, call, args } }) => {
  last = last.then(() => calls[call](...args)).then(
    (result) => postMessage({ id, result }, result && result.pixels ? [result.pixels.buffer] : []),
    (error) => postMessage({ id, error: error.message }));
});
