// page_checks.js - runs in a page of the plain log, behind page.js: looks at pixels and texts, presses keys, turns the
// wheel, drags, ticks off. Writes TAP into the page, which test_page.sh reads.
onerror = (text) => { document.title = text; };
(async () => {
  const out = document.body.appendChild(document.createElement("pre"));
  out.id = "checks";
  let count = 0;
  const ok = (good, what) => { out.textContent += `${good ? "ok" : "not ok"} ${++count} - ${what}\n`; };
  const is = (got, wanted, what) => {
    ok(got === wanted, what);
    if (got !== wanted) out.textContent += `#   got: ${got}\n#   wanted: ${wanted}\n`;
  };
  const settled = () => new Promise((done) => setTimeout(done, 100));
  const rows = document.querySelector(".rows"), canvas = rows.querySelector("canvas");
  const box = () => rows.getBoundingClientRect();
  // The first bar begins behind the labels: the first red pixel of rank 0.
  function colour(x, y) {
    const pixel = canvas.getContext("2d").getImageData(Math.round(x), Math.round(y), 1, 1).data;
    return [...pixel.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("");
  }
  await settled();
  let left = 0;
  while (left < 300 && colour(left, 15) !== "cc0000") left++;
  const width = canvas.width - left;
  const at = (second) => left + width * second;
  const key = (name) => dispatchEvent(new KeyboardEvent("keydown", { key: name, cancelable: true }));
  const point = (type, x, y, more) => rows.dispatchEvent(new PointerEvent(type,
    { clientX: box().left + x, clientY: box().top + y, pointerId: 1, bubbles: true, ...more }));
  const windowText = () => document.querySelector(".window").textContent;
  rows.setPointerCapture = () => {};

  is(devicePixelRatio, 1, "a pixel is a pixel");
  is(document.querySelector("h1").textContent, "plain.pith", "the title");
  ok(/^2 ranks, \d+ records, 1 s$/.test(document.querySelector(".faint").textContent), "the line below it");
  ok(left > 30 && left < 100, "bars begin beside the labels");
  is(colour(at(0.15), 15), "cc0000", "red at 0.15 s");
  is(colour(at(0.25), 15), "00aa00", "green in it at 0.25 s");
  is(colour(at(0.25), 5), "cc0000", "and red around it");
  is(colour(at(0.8), 15), "0000cc", "blue at 0.8 s");
  is(colour(at(0.3), 55), "0000cc", "rank 1: blue at 0.3 s");
  is(colour(at(0.95), 45), "000000", "rank 1: nothing at 0.95 s");
  is(colour(at(0.1), 33), "ff00ff", "its event at 0.1 s");
  is(windowText(), "0.000 s \u2013 1.000 s, 1 s", "the window of time");

  const table = [...document.querySelectorAll("tbody tr")].map((line) => line.innerText.replace(/\s+/g, " ").trim());
  ok(table.includes("red 1 500 ms 400 ms 20 %"), "the table of states");
  ok(table.includes("mark 1") && table.includes("messages 1"), "events and messages");
  const names = () => [...document.querySelectorAll("tbody tr")].map((line) => line.innerText.trim().split(/\s/)[0]);
  is(names().join(" "), "blue red green mark messages", "sorted by exclusive time");
  document.querySelector("th").click();
  is(names().join(" "), "blue green mark red messages", "and by name");

  point("pointermove", at(0.25), 15);
  const tip = document.querySelector(".tip");
  is(tip.style.display, "block", "a tip");
  const tipText = () => tip.innerText.trim().replace(/\s+/g, " ");
  ok(/^green rank 0 at 2(49|50|51) ms 100 ms$/.test(tipText()), "tells of green");
  point("pointermove", at(0.5), 29);
  is(tipText(), "message rank 0 to rank 1 1 024 bytes, tag 7 sent 400 ms took 200 ms", "and of the message");
  const line = () => [27, 28, 29, 30, 31, 32].map((y) => colour(at(0.5), y)).join(" ");
  const before = line();
  key("m");
  await settled();
  ok(line() !== before, "m: no arrow");

  key("+");
  await settled();
  is(windowText(), "250.0 ms \u2013 750.0 ms, 500 ms", "+: twice as near, about the middle");
  is(colour(at(0.05), 15), "00aa00", "where green is at the left");
  key("ArrowLeft");
  await settled();
  is(windowText(), "125.0 ms \u2013 625.0 ms, 500 ms", "to the left");
  for (let i = 0; i < 30; i++) key("+");
  await settled();
  is(windowText().replace(/.*, /, ""), "20 ns", "no nearer than 20 ns");
  is(colour(at(0.5), 15), "cc0000", "a bar goes over the whole window");
  key("f");
  await settled();
  is(windowText(), "0.000 s \u2013 1.000 s, 1 s", "f: all");

  rows.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box().left + at(0.25), cancelable: true }));
  await settled();
  ok(/^\d\d\.\d ms . 8\d\d\.\d ms/.test(windowText()), "the wheel zooms");
  is(colour(at(0.25), 15), "00aa00", "about the pointer");
  const was = windowText();
  point("pointerdown", at(0.5), 15, { buttons: 1 });
  point("pointermove", at(0.4), 15, { buttons: 1 });
  point("pointerup", at(0.4), 15);
  await settled();
  ok(windowText() !== was && /^1\d\d\.\d ms/.test(windowText()), "dragging moves");
  key("f");
  document.querySelectorAll("tbody input")[1].click();
  await settled();
  is(colour(at(0.25), 15), "cc0000", "green is hidden");
  document.querySelector("button[title^='zoom in']").click();
  await settled();
  is(windowText(), "250.0 ms \u2013 750.0 ms, 500 ms", "a button");
  const wide = document.querySelector(".overview");
  wide.setPointerCapture = () => {};
  wide.dispatchEvent(new PointerEvent("pointerdown",
    { clientX: wide.getBoundingClientRect().left + at(0.25), pointerId: 1 }));
  await settled();
  ok(/^[01]\.\d ms . 50[01]\.\d ms, 500 ms$/.test(windowText()), "the overview takes there");
  out.textContent += `1..${count}\n`;
})().catch((error) => { document.getElementById("checks").textContent += `not ok - ${error.stack}\n`; });
