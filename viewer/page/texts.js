// texts.js - times and numbers as texts.

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
// From two minutes on times are m:ss or h:mm:ss, up to 10000 hours (core/scene/axis.c). Those units count seconds.
const sixties = [[1e9, "h:mm:ss"], [1e9, "m:ss"]];
const unitOf = (ns) => Math.abs(ns) >= 120e9 && Math.abs(ns) < 36e15 ? sixties[Math.abs(ns) >= 3600e9 ? 0 : 1]
  : units.find(([size]) => Math.abs(ns) >= size) || units[3];
// A text of seconds such as "125.30" as "2:05.30".
function sixtiesText(text, unit) {
  const [, sign, whole, fraction] = text.match(/^(-?)(\d+)(.*)$/), two = (value) => String(value % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  const first = unit === sixties[0] || minutes >= 60 ? `${Math.floor(minutes / 60)}:${two(minutes)}` : minutes;
  return `${sign}${first}:${two(whole)}${fraction}`;
}
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
function duration(ns) {
  const unit = unitOf(ns), [size, name] = unit;
  const value = ns / size;
  if (sixties.includes(unit)) {
    const tenths = Math.abs(value) < 1000 ? Math.round(ns / 1e8) : Math.round(value) * 10;
    return sixtiesText(String(tenths / 10), unit);
  }
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
// A time of the log as date and time of day. data.clock is the local time of data.base, in seconds since 1970 and
// nanoseconds, if the page shows times of day.
function clockTexts(ns, decimals) {
  const unit = 10 ** (9 - decimals), all = Math.round((data.clock[1] + ns) / unit) * unit;
  const whole = Math.floor(all / 1e9);
  const date = new Date((data.clock[0] + whole) * 1000).toISOString(), rest = Math.round((all - whole * 1e9) / unit);
  return [date.slice(0, 10), date.slice(11, 19) + (decimals ? `.${String(rest).padStart(decimals, "0")}` : "")];
}
const decimalsOf = (fine, size) => Math.min(9, Math.max(0, Math.ceil(Math.log10(size / Math.max(fine, 1)) - 1e-9)));
// A time of the log with enough decimals to distinguish times that differ by `fine` nanoseconds.
function timeText(ns, fine, unit = unitAt(data.base + ns ? ns : 1e9)) {
  if (data.clock) return clockTexts(ns, decimalsOf(fine, 1e9)).join(" ");
  const text = based((ns / unit[0]).toFixed(decimalsOf(fine, unit[0])));
  return sixties.includes(unit) ? sixtiesText(text, unit) : `${text} ${unit[1]}`;
}
const percent = (share) => !share ? "0 %" : share >= 0.0995 ? `${Math.round(share * 100)} %`
  : share >= 0.00095 ? `${(share * 100).toFixed(1)} %` : "<0.1 %";
// As commands of a shell need them.
const seconds = (ns) => (ns / 1e9).toFixed(9);
const secondsAt = (ns) => based(seconds(ns));
const quoted = (text) => /^[\w./+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
