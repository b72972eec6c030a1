// far_page.js - opens the log of `pith serve` in the page as soon as the server has prepared it, and watches it for
// changes.

async function openServed() {
  let facts;
  try {
    for (;;) {
      facts = await (await askServed("facts")).json();
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
  const { version } = facts, parts = await firstParts(version);
  const of = (number) => parts.filter((part) => part.number === number);
  const at = servedAt("bytes"), file = (name, size, more, number) =>
    ({ name, size, version, url: at + more, parts: of(number) });
  const sketches = of(2).map(({ bytes }) => ({ name: `${served}.sketch`, bytes }));
  const [known] = of(3).map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)));
  watchServed(version);
  await openLog([file(served, facts.size, "", 0), file(`${served}.digest`, facts.digest, "&file=digest", 1),
    ...sketches], { known });
}
// Returns what the first picture needs, as `pith --prepare` has chosen it: parts { number, page, bytes } of the log
// (0), of its digest (1), its sketch (2), and facts about it as JSON (3). If the request fails or the log has another
// version, returns none: then the core requests what it needs.
async function firstParts(version) {
  try {
    let got = await askServed("first");
    if (got.status === 202) got = await fetch(servedAt("first"));
    const data = await got.arrayBuffer(), view = new DataView(data), parts = [];
    if (got.status !== 200 || new TextDecoder().decode(data.slice(0, 18)) !== version) return [];
    for (let at = 18; at < data.byteLength;) {
      const [number, page, size] = [0, 4, 8].map((place) => view.getUint32(at + place, true));
      parts.push({ number, page, bytes: new Uint8Array(data.slice(at + 12, at + 12 + size)) });
      at += 12 + size;
    }
    return parts;
  } catch {
    return [];
  }
}

// Returns the answer of a process on the server; null: isWanted() returned false before it came.
async function servedAnswer(what, more, isWanted) {
  for (let wait = 200; isWanted(); wait = Math.min(wait * 1.5, 2000)) {
    const got = await fetch(servedAt(what) + more);
    if (got.status === 200) return got.json();
    if (got.status !== 202) throw new Error((await got.text()).trim());
    await new Promise((done) => setTimeout(done, wait));
  }
  return null;
}
// The findings of a large log come from the server, sooner than the page could read the log.
const servedFindings = async () => ({ ...await servedAnswer("answer", "", () => true), isServed: true });
// The legend of a view with too many records for the page comes from the server, too.
function servedLegend(from, to) {
  const of = picture, theme = shown.isDark ? "dark" : "light";
  return servedAnswer("legend", `&from=${from}&to=${to}&theme=${theme}`, () => picture === of);
}

// Shows a button when the file has changed, for example because a run that was viewed early has ended.
function watchServed(version) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const seen = await fetch(`${servedAt("bytes")}&bytes=0-0`, { headers: { "If-Match": version } });
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
