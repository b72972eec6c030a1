// texts.js - times and numbers as texts.

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const unitOf = (ns) => units.find(([size]) => Math.abs(ns) >= size) || units[3];
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
function duration(ns) {
  const [size, name] = unitOf(ns);
  const value = ns / size;
  return `${Math.abs(value) < 1000 ? +value.toPrecision(4) : value.toFixed(0)} ${name}`;
}
// The unit of times of the log. Their numbers are nanoseconds since data.base.
const unitAt = (...times) => unitOf(Math.max(...times.map((time) => Math.abs(data.base + time))));
// A text of seconds since data.base as seconds of the log. Only whole seconds are added: a sum with all digits would be
// rounded.
function based(text) {
  const [whole, ...rest] = text.split(".");
  return data.base ? [data.base / 1e9 + +whole, ...rest].join(".") : text;
}
// A time of the log with enough decimals to distinguish times that differ by `fine` nanoseconds.
function timeText(ns, fine, unit = unitAt(data.base + ns ? ns : 1e9)) {
  const decimals = Math.max(0, Math.ceil(Math.log10(unit[0] / Math.max(fine, 1)) - 1e-9));
  return `${based((ns / unit[0]).toFixed(Math.min(decimals, 9)))} ${unit[1]}`;
}
const percent = (share) => !share ? "0 %" : share >= 0.0995 ? `${Math.round(share * 100)} %`
  : share >= 0.00095 ? `${(share * 100).toFixed(1)} %` : "<0.1 %";
// As commands of a shell need them.
const seconds = (ns) => (ns / 1e9).toFixed(9);
const secondsAt = (ns) => based(seconds(ns));
const quoted = (text) => /^[\w./+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
