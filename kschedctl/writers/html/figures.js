// What is behind squares and lanes, by pointer, keyboard and link; other colours and groups for squares.
(() => {
  const make = (name, properties, ...content) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...content);
    return made;
  };
  const plural = (count) => `${count} ${count === 1 ? "node" : "nodes"}`;
  const swatch = (style) => make("span", { className: `swatch ${style}` });

  // The buckets of squares, each with its title, in the order of the titles; those of none come last.
  const buckets = (cells, titles, of) => {
    const found = titles.map((title) => [title, []]);
    const rest = ["none", []];
    cells.forEach((cell, at) => (found[of[at]] ?? rest)[1].push(cell));
    return [...found, rest].filter(([, members]) => members.length);
  };

  const arrange = (figure, cells, colour, group) => {
    const style = (at) => {
      if (colour.kinds) return colour.of[at] === null ? "s" : `k${colour.kinds[colour.of[at]][1]}`;
      return colour.shades[at] === null ? "s" : `s${Math.round(10 * colour.shades[at])}`;
    };
    const styles = new Map(cells.map((cell, at) => [cell, style(at)]));
    const share = new Map(cells.map((cell, at) => [cell, colour.shades?.[at] ?? 2]));
    for (const cell of cells) {
      cell.className = styles.get(cell);
      cell.tabIndex = -1;
    }
    let found = [["all", cells]];
    if (group) found = buckets(cells, group.names, group.of);
    else if (colour.kinds) found = buckets(cells, colour.kinds.map(([text]) => text), colour.of);
    const parts = [];
    if (colour.shades) {
      const steps = make("span", { className: "scale" }, ...Array.from({ length: 11 }, (_, i) => swatch(`s${i}`)));
      parts.push(make("p", { className: "legend" }, `${colour.label}: none`, steps, "all"));
    } else if (group) {
      const kinds = colour.kinds.map(([text, color]) => make("span", { className: "kind" }, swatch(`k${color}`), `${text} `));
      parts.push(make("p", { className: "legend" }, ...kinds));
    }
    for (const [title, members] of found) {
      const ordered = colour.shades ? members.toSorted((a, b) => share.get(a) - share.get(b)) : members;
      ordered[0].tabIndex = 0;
      const count = make("span", { className: "dim" }, ` ${plural(members.length)}`);
      const mark = group || colour.shades ? [] : [swatch(styles.get(members[0]))];
      const grid = make("div", { className: figure.querySelector(".grid").className }, ...ordered);
      grid.setAttribute("role", "group");
      grid.setAttribute("aria-label", title);
      parts.push(make("p", { className: "legend" }, ...mark, title, count), grid);
    }
    figure.querySelector(".cells").replaceChildren(...parts);
  };

  // What is behind a thing is told when it is pointed at or reached; arrow keys walk from one to the next.
  const walk = (figure, things) => {
    const told = figure.querySelector(".told");
    const all = () => Array.from(figure.querySelectorAll(things));
    const tell = (event) => {
      const thing = event.target.closest(things);
      if (thing) told.textContent = thing.getAttribute("aria-label");
    };
    const focus = (thing) => {
      for (const other of thing.parentElement.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
      thing.tabIndex = 0;
      thing.focus();
    };
    // The one in the next row that is closest to being above or below; rows are where things start at one height.
    const beyond = (found, at, step) => {
      const { offsetTop, offsetLeft } = found[at];
      const off = (thing) => Math.abs(thing.offsetLeft - offsetLeft);
      let best, row;
      for (let i = at + step; found[i] && (row === undefined || found[i].offsetTop === row); i += step) {
        if (found[i].offsetTop === offsetTop) continue;
        row = found[i].offsetTop;
        if (!best || off(found[i]) < off(best)) best = found[i];
      }
      return best;
    };
    figure.addEventListener("mouseover", tell);
    figure.addEventListener("focusin", tell);
    figure.addEventListener("keydown", (event) => {
      const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const across = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!event.target.matches(things) || !(along || across)) return;
      const found = all();
      const at = found.indexOf(event.target);
      const next = along ? found[at + along] : beyond(found, at, across);
      if (!next) return;
      event.preventDefault();
      focus(next);
    });
    return focus;
  };

  for (const figure of document.querySelectorAll("figure.story")) walk(figure, ".lane");

  for (const figure of document.querySelectorAll("figure.nodes")) {
    const squares = () => Array.from(figure.querySelectorAll(".grid i"));
    const focus = walk(figure, ".grid i");
    figure.addEventListener("click", (event) => {
      if (event.target.matches(".grid i") && event.target.id) location.hash = event.target.id;
    });
    const linked = () => {
      const asked = squares().find((cell) => cell.id && "#" + cell.id === decodeURIComponent(location.hash));
      if (asked) focus(asked);
    };
    linked();
    addEventListener("hashchange", linked);

    const looks = JSON.parse(figure.querySelector("script.looks")?.textContent ?? "null");
    if (!looks) continue;
    const controls = figure.querySelector(".controls");
    const [colour, group] = controls.querySelectorAll("select");
    const cells = squares();
    colour.append(...looks.colours.map(({ label }) => make("option", {}, label)));
    group.append(...["as coloured", ...looks.groups.map(({ label }) => label)].map((label) => make("option", {}, label)));
    controls.hidden = false;
    controls.addEventListener("change", () =>
      arrange(figure, cells, looks.colours[colour.selectedIndex], looks.groups[group.selectedIndex - 1]));
  }
})();
