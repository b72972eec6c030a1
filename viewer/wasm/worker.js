// worker.js - the worker of the page: it has the core (core.js), and answers calls of app.js one after another.

const pen = new OffscreenCanvas(512, 64).getContext("2d", { willReadFrequently: true });
const fontOf = (size, isBold) => `${isBold ? "bold " : ""}${size}px "DejaVu Sans", Verdana, sans-serif`;
function makeMask(text, size, isBold, isRim) {
  const pad = isRim ? Math.ceil(size * 0.24) : 0;
  pen.font = fontOf(size, isBold);
  const { width: wide, actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: above,
    actualBoundingBoxDescent: below } = pen.measureText(text);
  const x = Math.ceil(Math.max(left, 0)) + pad + 1, y = Math.ceil(Math.max(above, 0)) + pad + 1;
  const width = x + Math.ceil(Math.max(right, wide)) + pad + 1, height = y + Math.ceil(Math.max(below, 0)) + pad + 1;
  if (width > 8192) return null;
  if (pen.canvas.width < width || pen.canvas.height < height)
    [pen.canvas.width, pen.canvas.height] = [Math.max(pen.canvas.width, width), Math.max(pen.canvas.height, height)];
  pen.clearRect(0, 0, width, height);
  pen.font = fontOf(size, isBold); // a new size of the canvas resets the font
  pen.lineJoin = "round";
  pen.lineWidth = size * 0.24;
  if (isRim) pen.strokeText(text, x, y);
  else pen.fillText(text, x, y);
  const { data } = pen.getImageData(0, 0, width, height), cover = new Uint8Array(width * height);
  for (let i = 0; i < cover.length; i++) cover[i] = data[4 * i + 3];
  return { cover, width, height, x, y };
}
const masks = new Map(); // the mask used last is last
const host = {
  textWidth: (text, size, isBold) => {
    pen.font = fontOf(size, isBold);
    return pen.measureText(text).width;
  },
  textMask: (text, size, isBold, scale, isRim) => {
    const key = `${size * scale} ${isBold} ${isRim} ${text}`;
    const mask = masks.has(key) ? masks.get(key) : makeMask(text, size * scale, isBold, isRim);
    masks.delete(key);
    masks.set(key, mask);
    if (masks.size > 4000) masks.delete(masks.keys().next().value);
    return mask;
  },
  progress: (part) => postMessage({ part }),
};

const bytesOf = Uint8Array.fromBase64 ? (base64) => Uint8Array.fromBase64(base64) : (base64) => {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
};
// Makes a file inside the page readable for the core.
function inside({ name, base64, bytes = bytesOf(base64) }) {
  return { name, size: bytes.length, read: (at, size) => bytes.subarray(at, at + size) };
}
// Makes a file of the user readable, in pieces of a MiB that are read when they are needed.
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
  start: async (base64) => { // compiles while it unpacks; a program that is compiled already is used as it is
    if (base64 instanceof WebAssembly.Module) {
      core = pithCore(base64, host);
      return;
    }
    const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const response = new Response(stream, { headers: { "Content-Type": "application/wasm" } });
    core = pithCore(await WebAssembly.compileStreaming(response), host);
  },
  open: (files, page) => {
    const facts = core.open(files.map((file) => file.url ? far(file) : file.blob ? pieces(file) : inside(file)),
      page && page.known);
    if (!page) return facts;
    if (page.title) core.title(page.title);
    if (page.grey) core.raw.grey();
    const shown = page.words ? core.words(page.words) : facts;
    if (page.clock) core.raw.clock(BigInt(page.clock));
    return shown;
  },
  words: (text) => core.words(text),
  overview: (width, height) => core.overview(width, height),
  theme: (name) => core.theme(name),
  hide: (id, isHidden) => core.hide(id, isHidden),
  draw: (what, used) => core.draw(what, used),
  legend: (from, to) => core.legend(from, to),
  at: (x, y) => core.at(x, y),
  hits: (...what) => core.hits(...what),
  find: (...what) => core.find(...what),
  analyze: () => core.analyze(),
  memory: () => core.memory(),
};
let last = Promise.resolve();
addEventListener("message", ({ data: { id, call, args } }) => {
  last = last.then(() => calls[call](...args)).then(
    (result) => postMessage({ id, result }, result && result.pixels ? [result.pixels.buffer] : []),
    (error) => postMessage({ id, error: error.message }));
});
