// core.js - the drawing core (module.h) as an object of JavaScript. It runs in a worker, and in node for tests. A trap
// ends an instance: the next file gets a new one.

// host: textWidth(text, size, isBold); textMask(text, size, isBold, scale, isRim): { cover, width, height, x, y } as in
// module_page.h; null: nothing is visible; progress(part).
function pithCore(module, host) {
  const files = [], encoder = new TextEncoder(), decoder = new TextDecoder();
  let core, said = "", theme = "light", lost = "";
  const bytes = (at, size) => new Uint8Array(core.memory.buffer, at, size);
  const text = (at) => {
    const all = new Uint8Array(core.memory.buffer);
    let end = at;
    while (all[end]) end++;
    return decoder.decode(all.subarray(at, end));
  };
  // Unpacks raw deflate into pieces of `room` bytes at `to`. Returns how many bytes were read; -1: they end early, -2:
  // they are damaged, -3: the function that takes the pieces stopped. The first piece is written in place.
  const inflate = (at, size, to, room) => {
    const inflater = new pako.Inflate({ raw: true, chunkSize: room }), { strm } = inflater, stop = {};
    let isFirst = true;
    inflater.onData = (piece) => {
      if (!isFirst) bytes(to, piece.length).set(piece);
      isFirst = false;
      if (!core.pithi_system_unpacked(piece.length)) throw stop;
    };
    [strm.output, strm.next_out, strm.avail_out] = [bytes(to, room), 0, room];
    try {
      inflater.push(bytes(at, size).slice(), false); // a copy, because memory that grows becomes another buffer
      if (!inflater.ended || inflater.err)
        if (strm.next_out && strm.avail_out) inflater.onData(strm.output.subarray(0, strm.next_out)); // the rest
    } catch (error) {
      if (error !== stop) throw error;
      return -3;
    }
    return inflater.err ? -2 : inflater.ended ? strm.next_in : -1;
  };
  const imports = {
    read: (file, at, to, size) => {
      const data = files[file].read(at, size);
      bytes(to, data.length).set(data);
      return data.length;
    },
    // Called for bytes that will be read soon.
    expect: (file, at, size) => files[file].expect?.(at, size),
    print: (at, size) => { said = (said + decoder.decode(bytes(at, size))).slice(-1000); },
    inflate: (at, size, to, room) => inflate(at, size, to, room),
    now: () => performance.now() * 1e6,
    text_width: (at, size, points, isBold) => host.textWidth(decoder.decode(bytes(at, size)), points, isBold),
    text_mask: (at, size, points, isBold, scale, isRim, numbers) => {
      const mask = host.textMask(decoder.decode(bytes(at, size)), points, isBold, scale, isRim);
      if (!mask) return 0;
      const to = core.pithi_module_mask(mask.cover.length);
      if (!to) return 0;
      bytes(to, mask.cover.length).set(mask.cover);
      new Int32Array(core.memory.buffer, numbers, 4).set([mask.width, mask.height, mask.x, mask.y]);
      return 1;
    },
    progress: (part) => host.progress(part),
  };
  const start = () => {
    files.length = 0;
    said = "";
    core = new WebAssembly.Instance(module, { pith: imports }).exports;
    core._initialize();
    core.pithi_module_theme(give(theme));
  };
  // After a trap, the error is one line: what was printed last, such as "out of memory", or that it is a bug of Pith.
  // If a file could not be read any more (isLost), the error is the reason; this also leaves the instance in the middle
  // of its work.
  const guarded = (work) => {
    try {
      return work();
    } catch (trap) {
      if (!(trap instanceof WebAssembly.RuntimeError) && !(trap instanceof RangeError) && !trap.isLost) throw trap;
      const why = trap.isLost ? trap.message : said.trim() || `this log cannot be shown: ${trap.message}`;
      start();
      lost = trap.isLost ? why : "";
      throw new Error(why);
    }
  };
  const give = (string) => {
    const data = encoder.encode(string), at = core.pithi_module_room(data.length + 1);
    bytes(at, data.length + 1).set([...data, 0]);
    return at;
  };
  // After a file was lost, no log is open; the error stays the reason of the loss.
  const failure = () => {
    const why = text(core.pithi_module_error());
    return new Error(lost && why === "no log is open" ? lost : why);
  };
  const answer = (at) => {
    if (!at) throw failure();
    return text(at);
  };
  start();
  // The functions of the core that return texts of JSON.
  const raw = {
    // given: [{ name, size, read(at, size) }], the log first, then its companions. known: the arguments of
    // pithi_module_known; undefined: nothing is known.
    open: (given, known) => guarded(() => {
      const { from = 0, to = 0, interruptions = 1 } = known || {};
      core.pithi_module_known(BigInt(from), BigInt(to), interruptions);
      lost = "";
      core.pithi_system_clear();
      files.length = 0;
      for (const file of given) {
        core.pithi_system_add(give(file.name), file.size);
        files.push(file);
      }
      return answer(core.pithi_module_open(give(given[0].name)));
    }),
    words: (text) => guarded(() => {
      try {
        return answer(core.pithi_module_words(give(text)));
      } finally {
        core.pithi_module_theme(give(theme)); // words may set another theme
      }
    }),
    clock: (time) => core.pithi_module_clock(time),
    grey: () => core.pithi_module_grey(),
    // Times are BigInt. `used`: the pixels of an older picture, whose memory is used again.
    draw: ({ from, to, width, height, scale, flags, first = 0, rowHeight = 0 }, used) => guarded(() => {
      const at = core.pithi_module_draw(from, to, width, height, scale, flags, first, rowHeight);
      if (!at) throw failure();
      const rest = answer(core.pithi_module_picture()), { width: wide, height: high } = JSON.parse(rest);
      const made = bytes(at, wide * high * 4);
      const pixels = used && used.length === made.length ? used : new Uint8ClampedArray(made.length);
      pixels.set(made);
      return { rest, pixels };
    }),
    overview: (width, height) => guarded(() => {
      const at = core.pithi_module_overview(width, height);
      if (!at) throw failure();
      return new Uint8ClampedArray(bytes(at, width * height * 4));
    }),
    legend: (from, to) => guarded(() => answer(core.pithi_module_legend(from, to))),
    at: (x, y) => guarded(() => answer(core.pithi_module_at(x, y))),
    find: (sought, time, lane, tie, isBackwards) =>
      guarded(() => answer(core.pithi_module_search(give(sought), time, lane, tie, isBackwards ? 1 : 0))),
    hits: (sought, most) => guarded(() => answer(core.pithi_module_hits(give(sought), most))),
    analyze: () => guarded(() => answer(core.pithi_module_analyze())),
  };
  return {
    raw,
    open: (...what) => JSON.parse(raw.open(...what)),
    title: (name) => core.pithi_module_title(give(name)),
    words: (text) => JSON.parse(raw.words(text)),
    // { pixels, width, height, left, top, wide, bottom, first, rows, row_height, cover }
    draw: (what, used) => {
      const { pixels, rest } = raw.draw(what, used);
      return { ...JSON.parse(rest), pixels };
    },
    overview: (width, height) => ({ pixels: raw.overview(width, height) }),
    legend: (from, to) => JSON.parse(raw.legend(from, to)),
    at: (x, y) => JSON.parse(raw.at(x, y)),
    hits: (...what) => JSON.parse(raw.hits(...what)),
    find: (...what) => JSON.parse(raw.find(...what)),
    analyze: () => {
      const found = JSON.parse(raw.analyze());
      found.place = JSON.parse(guarded(() => answer(core.pithi_module_answer())));
      return found;
    },
    theme: (name) => {
      theme = name;
      core.pithi_module_theme(give(name));
    },
    hide: (id, isHidden) => core.pithi_module_hide(id, isHidden ? 1 : 0),
    memory: () => core.memory.buffer.byteLength,
  };
}
