// The time line: each call is a bar from its start to its end. The pointer chooses the nearest call,
// the arrow keys the one before or behind, and Enter goes to it.

const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };
const COLOURS = { success: "--good", created: "--wait", failed: "--bad" };

function timeline() {
  const canvas = document.getElementById("time");
  const calls = entries.filter((entry) => entry.s && isTime(entry.a)).sort((one, other) => one.a - other.a);
  if (calls.length < 2) return canvas.remove();
  const first = calls[0].a;
  const last = calls.reduce((latest, call) => Math.max(latest, call.a + (call.d ?? 0)), first);
  const span = Math.max(1, last - first);
  canvas.setAttribute("aria-label", `calls from ${clock(first)} to ${clock(last)}`);
  canvas.setAttribute("aria-valuemin", 1);
  canvas.setAttribute("aria-valuemax", calls.length);
  canvas.tabIndex = 0;
  canvas.title = "arrow keys choose a call, Enter goes to it";
  let chosen = 0;
  const choose = (place) => {
    chosen = Math.max(0, Math.min(calls.length - 1, place));
    const call = calls[chosen];
    canvas.setAttribute("aria-valuenow", chosen + 1);
    canvas.setAttribute("aria-valuetext", `${call.n ?? call.k}, ${call.s}, ${clock(call.a)}${call.d === undefined ? "" : `, ${took(call.d)}`}`);
    drawTimes(canvas, calls, { first, span, chosen: document.activeElement === canvas ? call : undefined });
    if (document.activeElement === canvas) document.getElementById("count").textContent = canvas.getAttribute("aria-valuetext");
  };
  const redraw = () => choose(chosen);
  redraw();
  for (const event of ["focus", "blur"]) canvas.addEventListener(event, redraw);
  window.addEventListener("resize", redraw);
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in MOVES) choose(chosen + MOVES[event.key]);
    else if (event.key === "Enter" || event.key === " ") go(calls[chosen].index);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("click", (event) => {
    const at = first + (event.offsetX / canvas.clientWidth) * span;
    choose(calls.reduce((best, call, place) => (Math.abs(call.a - at) < Math.abs(calls[best].a - at) ? place : best), 0));
    go(calls[chosen].index);
  });
}

function drawTimes(canvas, calls, { first, span, chosen }) {
  const scale = window.devicePixelRatio || 1;
  const width = (canvas.width = canvas.clientWidth * scale);
  const height = (canvas.height = 48 * scale);
  const style = getComputedStyle(document.documentElement);
  const brush = canvas.getContext("2d");
  const bar = (call, least, top, tall) => {
    const wide = Math.max(least, ((call.d ?? 0) / span) * width);
    brush.fillRect(((call.a - first) / span) * (width - wide), top, wide, tall);
  };
  for (const [state, colour] of Object.entries(COLOURS)) {
    brush.fillStyle = style.getPropertyValue(colour);
    const [top, tall] = state === "failed" ? [0, height] : [height / 4, height / 2];
    for (const call of calls) if (call.s === state) bar(call, scale, top, tall);
  }
  if (!chosen) return;
  brush.fillStyle = style.getPropertyValue("--ink");
  bar(chosen, 3 * scale, 0, height / 6);
  bar(chosen, 3 * scale, height - height / 6, height / 6);
}
