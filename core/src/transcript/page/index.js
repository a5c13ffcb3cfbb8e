// Shows the sessions whose row holds the text of the filter.

const field = document.getElementById("filter");
const rows = [...document.querySelectorAll("#sessions tr")];
const texts = rows.map((row) => row.textContent.toLowerCase());

function filter() {
  const words = field.value.toLowerCase().split(/\s+/);
  let count = 0;
  rows.forEach((row, index) => {
    row.hidden = !words.every((word) => texts[index].includes(word));
    if (!row.hidden) count++;
  });
  document.getElementById("count").textContent = `${count} of ${rows.length} sessions`;
}

let wait;
field.addEventListener("input", () => {
  clearTimeout(wait);
  wait = setTimeout(filter, 150);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
});
filter();
