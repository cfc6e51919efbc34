// Tables with data-table: every heading sorts, and long ones get a field that filters.
const LONG_TABLE = 12;

function sortTable(table, heading) {
  const column = all("th", table.tHead).indexOf(heading);
  const falls = heading.getAttribute("aria-sort") === "ascending";
  all("th", table.tHead).forEach((th) => th.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
  const words = new Intl.Collator(undefined, { numeric: true });
  const rows = [...table.tBodies[0].rows].map((row) => [row.cells[column].textContent, row]);
  rows.sort(([a], [b]) => words.compare(a, b) * (falls ? -1 : 1));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function filterTable(table, text) {
  for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(text);
}

for (const table of all("table[data-table]")) {
  for (const heading of all("th", table.tHead)) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortTable(table, heading));
    heading.append(button);
  }
  if (table.tBodies[0].rows.length > LONG_TABLE) {
    const field = document.createElement("input");
    field.type = "search";
    field.className = "narrow";
    field.placeholder = field.ariaLabel = "Filter the rows";
    field.addEventListener("input", () => filterTable(table, field.value.toLowerCase()));
    table.parentElement.before(field);
  }
}
