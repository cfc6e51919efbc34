// Keys, and the buttons of the whole page. A key that the reader types into a field is theirs.
const help = one("#keys");

async function save() {
  const packed = Uint8Array.from(atob(one("#archive").textContent), (char) => char.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([await new Response(unpacked).blob()], { type: "application/json" }));
  link.download = "audit.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function step(by) {
  if (!list) return;
  const rows = all(".card > summary", list);
  const at = rows.indexOf(document.activeElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

const isInCards = () => Boolean(list?.contains(document.activeElement));
const keys = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => list && (filters.scrollIntoView({ block: "start" }), filters.elements.text.focus({ preventScroll: true })),
  "[": () => list && turn(-1),
  "]": () => list && turn(1),
  t: switchTheme,
  "?": () => (help.open ? help.close() : help.showModal()),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // Arrows scroll the page, as everywhere, until a group has the focus.
  const arrow = { ArrowDown: "j", ArrowUp: "k" }[event.key];
  const key = arrow && isInCards() ? arrow : event.key;
  if (!Object.hasOwn(keys, key) || (help.open && key !== "?")) return;
  event.preventDefault();
  keys[key]();
});

one("[data-act=theme]").addEventListener("click", switchTheme);
one("[data-act=help]").addEventListener("click", () => help.showModal());
one("[data-act=save]").addEventListener("click", save);
one(".archive").hidden = false;
