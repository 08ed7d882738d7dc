// Sorts a table by the column whose head is pressed; without script the table stays in the order of ranks.
for (const table of document.querySelectorAll("table.ranks")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const order = (a, b) => (isNaN(key(a) - key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b));
      body.append(...[...body.rows].sort((a, b) => (up ? order(a, b) : order(b, a))));
    };
  });
}
