// far_worker.js - files of `pith serve` for the core, in the page's worker: read by ranges over HTTP when the core
// asks, and kept in pages of 256 bytes. A request costs more than bytes, so each request also brings the pages that are
// expected to be read soon.

// file: { name, url, size, version, parts }; parts: [{ page, bytes }], which have already arrived. An error of a read
// ends the open log (core.js).
function far({ name, url, size, version, parts = [] }) {
  // bytes of a page; the most pages that are kept; the most pages and ranges in a request
  const PAGE = 256, MOST = 256 << 10, REQUEST = 4096, RANGES = 256;
  const AHEAD = 256; // pages
  const kept = new Map(); // bytes of pages, by their number; the oldest go first
  const expected = new Set(); // pages for the next request
  let end = -1, ahead = AHEAD; // the page behind the last unexpected request; how many pages it brought
  const last = Math.ceil(size / PAGE);
  const lost = (why) => Object.assign(new Error(`${name.replace(/\.digest$/, "")}: ${why}`), { isLost: true });

  const rest = (ms) => { // a read is synchronous, so it can only wait in a loop
    for (const until = performance.now() + ms; performance.now() < until;);
  };
  const keep = (number, bytes) => {
    for (let at = 0; at < bytes.length; at += PAGE) {
      kept.delete(number);
      kept.set(number++, bytes.subarray(at, at + PAGE));
    }
    while (kept.size > MOST) kept.delete(kept.keys().next().value);
  };
  // ranges: [first page, page behind the last]. In the answer, the bytes of the ranges follow each other.
  const request = (ranges) => {
    const byteOf = (page) => Math.min(page * PAGE, size);
    // The ranges are in the address, because browsers do not let the answer to a header Range be packed.
    const from = `${url}&bytes=${ranges.map(([first, to]) => `${byteOf(first)}-${byteOf(to) - 1}`).join()}`;
    let asked;
    do { // status 202: the server has forgotten this log, and prepares it again
      asked = new XMLHttpRequest();
      asked.open("GET", from, false);
      asked.responseType = "arraybuffer";
      asked.setRequestHeader("If-Match", version);
      try {
        asked.send();
      } catch {
        throw lost("pith serve does not answer; is it still running, and the connection up?");
      }
      if (asked.status === 202) rest(100);
    } while (asked.status === 202);
    if (asked.status === 412) throw lost("the log has changed; reload the page");
    if (asked.status !== 200) throw lost(`pith serve cannot read it (status ${asked.status})`);
    const bytes = new Uint8Array(asked.response);
    let at = 0;
    for (const [from, to] of ranges) {
      const part = bytes.subarray(at, at + byteOf(to) - byteOf(from));
      keep(from, part);
      at += part.length;
    }
  };
  // Brings pages that are not kept, in as few requests as the server allows.
  const bring = (pages) => {
    let ranges = [], count = 0;
    for (const page of [...pages].filter((number) => number < last && !kept.has(number)).sort((a, b) => a - b)) {
      const range = ranges[ranges.length - 1];
      if (count === REQUEST || (ranges.length === RANGES && range[1] !== page)) {
        request(ranges);
        [ranges, count] = [[], 0];
      }
      if (count && ranges[ranges.length - 1][1] === page) ranges[ranges.length - 1][1]++;
      else ranges.push([page, page + 1]);
      count++;
    }
    if (count) request(ranges);
  };
  const expect = (at, count) => {
    const to = Math.min(Math.ceil((at + count) / PAGE), last);
    for (let page = Math.floor(at / PAGE); page < to && expected.size < MOST / 4; page++)
      if (!kept.has(page)) expected.add(page);
  };
  const read = (at, count) => {
    const data = new Uint8Array(Math.max(0, Math.min(count, size - at)));
    const first = Math.floor(at / PAGE), behind = Math.ceil((at + data.length) / PAGE), missing = [];
    for (let page = first; page < behind; page++) if (!kept.has(page)) missing.push(page);
    if (missing.length) {
      if (!missing.every((page) => expected.has(page))) {
        ahead = missing[0] === end ? Math.min(ahead * 2, REQUEST) : AHEAD;
        end = missing[0] + Math.max(ahead, behind - missing[0]);
        for (let page = missing[0]; page < end; page++) missing.push(page);
      }
      bring(new Set([...missing, ...expected]));
      expected.clear();
    }
    for (let done = 0; done < data.length;) {
      const from = (at + done) % PAGE, page = kept.get(Math.floor((at + done) / PAGE));
      const part = page.subarray(from, from + data.length - done);
      data.set(part, done);
      done += part.length;
    }
    return data;
  };
  for (const { page, bytes } of parts) keep(page, bytes);
  // Opening any log reads its first and last bytes.
  expect(0, 4096);
  expect(Math.max(0, size - 32768), 32768);
  return { name, size, read, expect };
}
