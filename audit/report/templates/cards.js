// The groups: all of them are data, a page of them is markup. Text is written by textContent and nothing else.
const { cards, a_page: aPage } = JSON.parse(one("#cards-data").textContent);
const list = one(".cards");
const filters = one(".filters");
const view = { shown: cards, page: 0 };

// All that a card says, in small letters; worked out when the first filter asks for it.
function words(card) {
  if (card.words) return card.words;
  const evidence = card.evidence.flatMap((e) => [e.source, e.before, e.mark, e.after, ...e.facts.map((f) => f.text)]);
  const answers = card.answers.map((a) => a.answer);
  const all = [card.id, card.prompt, card.target, card.cause, card.becomes, ...answers, ...evidence];
  return (card.words = all.join("\n").toLowerCase());
}

// The node is not in the page yet: a list without a list around it is its own, any other belongs to an item.
function filled(node, said) {
  const isOwn = (part) => !part?.closest("[data-each]");
  for (const part of all("[data-f]", node).filter(isOwn)) part.textContent = said[part.dataset.f];
  for (const part of all("[data-each]", node).filter((part) => isOwn(part.parentElement))) {
    const pattern = part.firstElementChild;
    part.replaceChildren(...said[part.dataset.each].map((item) => filled(pattern.cloneNode(true), item)));
  }
  return node;
}

function cardNode(card) {
  const node = filled(one(".card", one("#card").content).cloneNode(true), card);
  node.id = card.anchor;
  one("[data-link]", node).hash = card.anchor;
  return node;
}

function draw() {
  view.page = Math.min(Math.max(0, view.page), Math.max(0, Math.ceil(view.shown.length / aPage) - 1));
  list.replaceChildren(...view.shown.slice(view.page * aPage, (view.page + 1) * aPage).map(cardNode));
  tell();
}

function tell() {
  const pages = Math.max(1, Math.ceil(view.shown.length / aPage));
  const first = view.page * aPage;
  const range = view.shown.length ? `${first + 1}–${Math.min(first + aPage, view.shown.length)} of ` : "";
  const kept = view.shown.length === cards.length ? "" : `, filtered from ${cards.length}`;
  one(".shown").textContent = `${range}${view.shown.length} groups${kept}`;
  one(".pages").hidden = pages === 1;
  one(".pages span").textContent = `page ${view.page + 1} of ${pages}`;
  one("[data-act=back]").disabled = view.page === 0;
  one("[data-act=on]").disabled = view.page === pages - 1;
}

const orders = {
  rank: (a, b) => a.rank - b.rank || a.at - b.at,
  at: (a, b) => a.at - b.at,
  right: (a, b) => a.right - b.right || a.rank - b.rank || a.at - b.at,
};

function choose() {
  const { text, cause, kind, sort } = filters.elements;
  const asked = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  view.shown = cards.filter(
    (card) =>
      (!cause.value || card.cause === cause.value) &&
      (!kind.value || card.kind === kind.value) &&
      asked.every((word) => words(card).includes(word)),
  );
  const byName = new Intl.Collator(undefined, { numeric: true });
  view.shown.sort(orders[sort.value] ?? ((a, b) => byName.compare(a.id, b.id)));
  view.page = 0;
  draw();
}

function turn(pages) {
  view.page += pages;
  draw();
  list.scrollIntoView({ block: "start" });
}

// A link to a group finds it wherever it is: its page is turned to, and filters that hide it are dropped.
function follow() {
  const anchor = location.hash.slice(1);
  const card = anchor.startsWith("group-") && cards.find((one) => one.anchor === anchor);
  if (!card) return;
  if (!view.shown.includes(card)) {
    filters.reset();
    choose();
  }
  view.page = Math.floor(view.shown.indexOf(card) / aPage);
  if (!document.getElementById(anchor)) draw();
  const node = document.getElementById(anchor);
  node.open = true;
  node.scrollIntoView({ block: "start" });
  one("summary", node).focus({ preventScroll: true });
}

if (list) {
  filters.hidden = false;
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", choose);
  one("[data-act=back]").addEventListener("click", () => turn(-1));
  one("[data-act=on]").addEventListener("click", () => turn(1));
  for (const button of all("[data-cause]")) {
    const has = cards.some((card) => card.cause === button.dataset.cause);
    button.disabled = !has;
    button.addEventListener("click", () => {
      filters.elements.cause.value = button.dataset.cause;
      choose();
      filters.scrollIntoView({ block: "start" });
    });
  }
  tell();
  addEventListener("hashchange", follow);
  follow();
}
