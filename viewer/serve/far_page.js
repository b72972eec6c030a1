// far_page.js - the log of `pith serve` in the page: it is opened when its machine has prepared it, and watched.

const served = document.getElementById("served").dataset.name;
const servedAt = (what) => new URL(`${what}?log=${encodeURIComponent(served)}`, location.href).href;

async function openServed() {
  let facts;
  try {
    for (;;) {
      facts = await (await fetch(servedAt("facts"))).json();
      if (facts.state !== "working") break;
      say(`${served} is read on its machine`);
      await new Promise((done) => setTimeout(done, 200));
    }
  } catch {
    say(`${served}: pith serve does not answer; is it still running, and the connection up?`, true);
    return;
  }
  if (facts.state === "failed") {
    say(facts.why, true);
    return;
  }
  const { version } = facts, file = (name, size, more) => ({ name, size, version, url: servedAt("bytes") + more });
  watchServed(version);
  await openLog([file(served, facts.size, ""), file(`${served}.digest`, facts.digest, "&file=digest")], {});
}

// What a process on the log's machine answers; null: `isWanted()` ended before.
async function servedAnswer(what, more, isWanted) {
  while (isWanted()) {
    const got = await fetch(servedAt(what) + more);
    if (got.status === 200) return got.json();
    if (got.status !== 202) throw new Error((await got.text()).trim());
    await new Promise((done) => setTimeout(done, 200));
  }
  return null;
}
// The findings of a large log: its machine has them sooner than the page has the log.
const servedFindings = async () => ({ ...await servedAnswer("answer", "", () => true), isServed: true });
// The legend of a view whose records are too many.
function servedLegend(from, to) {
  const of = picture, theme = shown.isDark ? "dark" : "light";
  return servedAnswer("legend", `&from=${from}&to=${to}&theme=${theme}`, () => picture === of);
}

// A button when the file has changed, as at the end of a run that was looked at before.
function watchServed(version) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const seen = await fetch(servedAt("bytes"), { headers: { Range: "bytes=0-0", "If-Match": version } });
      if (seen.status !== 412) return;
    } catch {
      return; // the connection may come back
    }
    clearInterval(timer);
    const button = add(document.querySelector("header"), "button", "", "The log has changed: reload");
    button.id = "reload";
    button.addEventListener("click", () => location.reload());
  }, 3000);
}
