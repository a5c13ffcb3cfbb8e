// Shows the entries that the page holds as data. Only those near the screen are made into elements:
// a section of entries is filled when it comes near, and emptied when it is far.

function made(name, text, kind) {
  const element = document.createElement(name);
  if (text !== null && text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

const AT_ONCE = 40;
const SHORT = 1500;
// A longer text is shown plain: its hundred thousands of elements would take many seconds.
const MOST_DRAWN = 100000;
const MOST_PRINTED = 5000;
const MOST_CHOICES = 1000;
const GUESSED = 90;
const entries = [];
const places = new Map();
const feed = document.getElementById("feed");
const filter = { text: "", tool: "", state: "", agent: "" };
let shown = [];
let sections = [];
let current = -1;
let isWhole = false;

function read() {
  for (const block of document.querySelectorAll("script.entries")) {
    for (const entry of JSON.parse(block.textContent)) {
      entry.index = entries.length;
      entries.push(entry);
      if (entry.i && !places.has(entry.i)) places.set(entry.i, entry.index);
    }
    block.remove();
  }
  for (const entry of entries) {
    const above = entry.p === undefined ? undefined : entries[places.get(entry.p)];
    entry.above = above && above.index < entry.index ? above : undefined;
    entry.depth = entry.p === undefined ? 0 : Math.min(3, entry.above ? entry.above.depth + 1 : 1);
  }
  for (const entry of entries.toReversed()) {
    if (!entry.above) continue;
    entry.above.inner = (entry.above.inner ?? 0) + 1 + (entry.inner ?? 0);
    entry.above.innerFailed = (entry.above.innerFailed ?? 0) + hasFailed(entry) + (entry.innerFailed ?? 0);
  }
}

const hasFailed = (entry) => entry.s === "failed" || entry.k === "error";

// A log may name times that no calendar has.
const isTime = (at) => at !== undefined && Math.abs(at) < 8e15;
const clock = (at) => new Date(at).toISOString().slice(0, 19).replace("T", " ");
const took = (time) => (time < 10000 ? `${(time / 1000).toFixed(2)} s` : `${(time / 1000).toFixed(1)} s`);

const plain = (text) => made("pre", text);

function folded(text, fitting) {
  const draw = text.length > MOST_DRAWN ? plain : fitting;
  if (text.length <= SHORT && text.split("\n", 30).length < 30) return draw(text);
  const details = foldable(() => draw(text));
  details.append(made("summary", `${text.slice(0, 200).split("\n", 3).join(" ")} … (${text.length.toLocaleString("en")} characters)`));
  return details;
}

// What a folded part holds is made when it is first opened, or printed.
function foldable(draw) {
  const details = made("details");
  details.draw = () => details.children.length > 1 || details.append(draw());
  details.addEventListener("toggle", details.draw, { once: true });
  return details;
}

function difference(text) {
  const block = made("pre");
  for (const line of text.split("\n")) {
    const kind = line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
    block.append(kind ? made("span", line, kind) : line, "\n");
  }
  return block;
}

function detail([head, text]) {
  const draw = head === "changes" && text.length <= MOST_DRAWN ? difference : plain;
  const details = foldable(() => draw(text));
  details.append(made("summary", head));
  return details;
}

function drawn(place) {
  const entry = entries[shown[place]];
  const article = made("article", null, `${entry.k} ${entry.s ?? ""} depth${entry.depth}`);
  article.id = `entry-${entry.index}`;
  article.place = place;
  article.tabIndex = 0;
  article.setAttribute("aria-posinset", place + 1);
  article.setAttribute("aria-setsize", shown.length);
  article.setAttribute("aria-labelledby", `head-${entry.index}`);
  article.append(heading(entry));
  const isSaid = entry.k === "user" || entry.k === "assistant";
  if (entry.t && entry.t !== entry.n) article.append(folded(entry.t, isSaid ? markdown : plain));
  for (const one of entry.x ?? []) article.append(detail(one));
  return article;
}

function heading(entry) {
  const head = made("h2");
  head.id = `head-${entry.index}`;
  head.append(made("span", entry.n ?? entry.k, "name"));
  if (entry.s) head.append(made("span", entry.e && entry.e !== entry.s ? `${entry.s}: ${entry.e}` : entry.s, "state"));
  if (entry.d !== undefined) head.append(made("span", took(entry.d)));
  if (isTime(entry.a)) head.append(Object.assign(made("time", clock(entry.a)), { title: "universal time" }));
  if (entry.m) head.append(made("span", entry.m));
  if (entry.g) head.append(made("span", entry.g));
  if (entry.c) head.append(made("span", `cost ${entry.c}`));
  if (entry.p !== undefined && places.has(entry.p)) {
    const link = made("button", "go to its call", "link");
    link.addEventListener("click", () => go(places.get(entry.p)));
    head.append(link);
  }
  if (entry.inner) head.append(folder(entry));
  return head;
}

// The button that hides the entries of the call's subagent, or shows them again.
function folder(entry) {
  const inside = entry.innerFailed ? `${entry.inner} inside, ${entry.innerFailed} failed` : `${entry.inner} inside`;
  const button = made("button", `${entry.isFolded ? "show" : "hide"} ${inside}`, "link");
  button.setAttribute("aria-expanded", !entry.isFolded);
  button.addEventListener("click", () => {
    entry.isFolded = !entry.isFolded;
    show();
    go(entry.index);
  });
  return button;
}

function foldAll() {
  const callers = entries.filter((entry) => entry.inner);
  const isOpen = callers.some((entry) => !entry.isFolded);
  for (const entry of callers) entry.isFolded = isOpen;
  show();
}

function fill(section) {
  if (section.filled) return;
  section.filled = true;
  section.element.style.minHeight = "";
  const end = Math.min(section.first + AT_ONCE, shown.length);
  for (let place = section.first; place < end; place++) section.element.append(drawn(place));
}

function empty(section) {
  if (isWhole || !section.filled || section.element.contains(document.activeElement)) return;
  section.filled = false;
  section.element.style.minHeight = `${section.element.offsetHeight}px`;
  section.element.replaceChildren();
}

const watcher = new IntersectionObserver(
  (changes) => {
    for (const change of changes) (change.isIntersecting ? fill : empty)(change.target.section);
  },
  { rootMargin: "1500px" },
);

const matches = (entry) =>
  (!filter.tool || entry.n === filter.tool) &&
  (!filter.state || (filter.state === "failed" ? hasFailed(entry) : [entry.s, entry.k, entry.e].includes(filter.state))) &&
  (!filter.agent || entry.g === filter.agent) &&
  (!filter.text || `${entry.n ?? ""}\n${entry.t}\n${(entry.x ?? []).map((one) => one[1]).join("\n")}`.toLowerCase().includes(filter.text));

function show() {
  isWhole = false;
  watcher.disconnect();
  // A filter finds what is folded, too.
  const isFiltered = Object.values(filter).some(Boolean);
  for (const entry of entries) entry.isHidden = entry.above !== undefined && (entry.above.isFolded || entry.above.isHidden);
  shown = entries.filter(isFiltered ? matches : (entry) => !entry.isHidden).map((entry) => entry.index);
  sections = [];
  for (let first = 0; first < shown.length; first += AT_ONCE) {
    const element = made("section");
    element.style.minHeight = `${Math.min(AT_ONCE, shown.length - first) * GUESSED}px`;
    sections.push((element.section = { element, first, filled: false }));
  }
  feed.replaceChildren(...sections.map((section) => section.element));
  sections.slice(0, 1).forEach(fill);
  for (const section of sections) watcher.observe(section.element);
  document.getElementById("count").textContent = `${shown.length.toLocaleString("en")} of ${entries.length.toLocaleString("en")} entries`;
  current = -1;
}

// The browser stays responsive while the entries are made.
function showAll(at = 0) {
  isWhole = true;
  const end = Math.min(at + 10, sections.length);
  for (; at < end; at++) fill(sections[at]);
  document.getElementById("count").textContent = at < sections.length ? `${at * AT_ONCE} of ${shown.length} …` : `all ${shown.length} shown, ready to print`;
  if (at < sections.length) setTimeout(() => isWhole && showAll(at));
}

// The entry is brought to the screen, and gets the focus.
function go(index) {
  let place = shown.indexOf(index);
  if (place < 0) {
    for (const field of document.querySelectorAll("#tools select, #tools input")) field.value = "";
    Object.assign(filter, { text: "", tool: "", state: "", agent: "" });
    for (let above = entries[index].above; above; above = above.above) above.isFolded = false;
    show();
    place = shown.indexOf(index);
  }
  fill(sections[Math.floor(place / AT_ONCE)]);
  const article = document.getElementById(`entry-${index}`);
  article.scrollIntoView({ block: "start" });
  window.scrollBy(0, -80);
  article.focus({ preventScroll: true });
}

const step = (by) => shown.length && go(shown[Math.max(0, Math.min(shown.length - 1, current + by))]);

function jump(by) {
  for (let at = current + by; at >= 0 && at < shown.length; at += by) if (hasFailed(entries[shown[at]])) return go(shown[at]);
  document.getElementById("count").textContent = by > 0 ? "no later failure" : "no earlier failure";
}

function choice(name, label, values) {
  const select = made("select");
  select.setAttribute("aria-label", label);
  select.append(new Option(label, ""), ...values.map((value) => new Option(value, value)));
  select.addEventListener("change", () => ((filter[name] = select.value), show()));
  return select;
}

function pressed(label, title, act) {
  const button = made("button", label);
  button.title = title;
  button.addEventListener("click", act);
  return button;
}

function tools() {
  const values = (of) => [...new Set(entries.map(of).filter((value) => value))].sort().slice(0, MOST_CHOICES);
  const text = made("input");
  text.type = "search";
  text.placeholder = "text (/)";
  text.setAttribute("aria-label", "text");
  let wait;
  text.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => ((filter.text = text.value.toLowerCase()), show()), 150);
  });
  const agents = values((entry) => entry.g);
  const bar = document.getElementById("tools");
  bar.append(
    text,
    choice("tool", "all tools", values((entry) => entry.n)),
    choice("state", "all states", ["failed", "denied", "cancelled", "success", "created", "user", "assistant", "thinking", "system"]),
    ...(agents.length ? [choice("agent", "all agents", agents)] : []),
    pressed("‹ failure", "previous failure (p)", () => jump(-1)),
    pressed("failure ›", "next failure (n)", () => jump(1)),
    ...(entries.some((entry) => entry.inner) ? [pressed("fold subagents", "hides the entries of all subagents, or shows them again", foldAll)] : []),
    pressed("show all", "makes all entries, to print them or to search with the browser", () => showAll()),
    Object.assign(made("output"), { id: "count" }),
  );
  bar.append(made("span", "j k: entries, n p: failures, /: text", "hint"));
  feed.addEventListener("focusin", (event) => (current = event.target.closest("article")?.place ?? current));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return event.key === "Escape" && document.activeElement.blur();
    const act = { j: () => step(1), k: () => step(-1), n: () => jump(1), p: () => jump(-1), "/": () => text.focus() }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

const printed = made("p", null, "printed");
window.addEventListener("beforeprint", () => {
  if (!isWhole) sections.slice(0, MOST_PRINTED / AT_ONCE).forEach(fill);
  for (const details of feed.querySelectorAll("details:not([open])")) {
    details.draw();
    details.open = details.isPrinted = true;
  }
  const count = feed.querySelectorAll("article").length;
  printed.textContent = `Printed are ${count} of ${entries.length} entries. “show all” prints the others, a filter fewer.`;
  feed.before(printed);
});
window.addEventListener("afterprint", () => {
  for (const details of feed.querySelectorAll("details")) if (details.isPrinted) details.open = details.isPrinted = false;
});

// What stands above is painted before the entries are read.
requestAnimationFrame(() =>
  setTimeout(() => {
    read();
    tools();
    show();
    timeline();
    document.body.dataset.ready = "yes";
  }),
);
