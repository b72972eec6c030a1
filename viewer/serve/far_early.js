// far_early.js - at the top of the page of `pith serve`: asks for the page's program, the log's facts, and what its
// first picture needs, while the rest of the page is still on its way.

const { name: served, program: programAt } = document.currentScript.dataset;
const servedProgram = WebAssembly.compileStreaming(fetch(programAt));
servedProgram.catch(() => {}); // app.js says why
const servedAt = (what) => new URL(`${what}?log=${encodeURIComponent(served)}`, location.href).href;
const early = new Map(["facts", "first"].map((what) => [what, fetch(servedAt(what)).catch(() => null)]));
// The answer that was asked for early, once; then a new one.
async function askServed(what) {
  const found = await early.get(what);
  early.delete(what);
  return found || fetch(servedAt(what));
}
