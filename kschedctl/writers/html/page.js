"use strict";
// What a page can do beyond showing itself: filter, sort, save the report. It sends nothing.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  // Thousands of texts are read once.
  const texts = new Map();
  const known = (thing, read) => {
    if (!texts.has(thing)) texts.set(thing, read(thing).toLowerCase());
    return texts.get(thing);
  };

  document.querySelector(".tools").hidden = false;
  const filter = document.querySelector("#filter");
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (text) => words.every((word) => text.includes(word));
    for (const row of all("tbody tr:not(.who), .tree li, .lane")) {
      row.hidden = !found(known(row, (one) => `${one.textContent} ${one.getAttribute("aria-label") ?? ""}`));
    }
    for (const cell of all(".grid i")) {
      cell.toggleAttribute("data-out", !found(known(cell, (one) => one.getAttribute("aria-label"))));
    }
  });

  const save = document.querySelector("#save");
  const reports = () => all("script.report").map((script) => JSON.parse(script.textContent));
  save.hidden = !document.querySelector("script.report");
  save.addEventListener("click", () => {
    const found = reports();
    const list = { apiVersion: found[0].apiVersion, kind: "List", items: found };
    const text = JSON.stringify(found.length === 1 ? found[0] : list, null, 2);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text + "\n"], { type: "application/json" }));
    link.download = "report.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.value ?? cell.textContent.trim();
  };
  for (const button of all("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const body = head.closest("table").tBodies[0];
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of all("th", head.parentNode)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const order = new Intl.Collator("en", { numeric: true });
      const rows = Array.from(body.rows);
      rows.sort((a, b) => sign * order.compare(value(a, head.cellIndex), value(b, head.cellIndex)));
      body.append(...rows);
    });
  }
})();
