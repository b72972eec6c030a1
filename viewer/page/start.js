// start.js - shows the page for the first time. All other files come before.

layout();
prefersDark.addEventListener("change", () => setTheme());
setTheme();
fillTable();
readLink(location.hash);
draw();
past.length = 0; // what the address says is the first view
