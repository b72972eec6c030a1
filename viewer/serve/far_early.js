// far_early.js - at the top of the page of `pith serve`: requests the page's program, the log's facts, and what the
// first picture needs, while the rest of the page is still loading.

const { name: served, program: programAt } = document.currentScript.dataset;
const servedProgram = WebAssembly.compileStreaming(fetch(programAt));
servedProgram.catch(() => {}); // app.js reports the error
const servedAt = (what) => new URL(`${what}?log=${encodeURIComponent(served)}`, location.href).href;
const early = new Map(["facts", "first"].map((what) => [what, fetch(servedAt(what)).catch(() => null)]));
// Returns the answer to the early request, once; after that, makes a new request.
async function askServed(what) {
  const found = await early.get(what);
  early.delete(what);
  return found || fetch(servedAt(what));
}
