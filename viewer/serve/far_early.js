// far_early.js - at the top of the page of `pith serve`: asks for the log's facts, and for what its first picture
// needs, while the rest of the page is still on its way.

const served = document.currentScript.dataset.name;
const servedAt = (what) => new URL(`${what}?log=${encodeURIComponent(served)}`, location.href).href;
const early = new Map(["facts", "first"].map((what) => [what, fetch(servedAt(what)).catch(() => null)]));
// The answer that was asked for early, once; then a new one.
async function askServed(what) {
  const found = await early.get(what);
  early.delete(what);
  return found || fetch(servedAt(what));
}
