// The page has several views, and a panel with details beside them.

// Table shows the sums over all events with the same kind and name.
class Table {
  constructor(app) {
    this.app = app;
    this.node = element("section", { class: "table" });
    this.order = ["self", -1];
    const sums = new Map(), d = app.data;
    for (let i = 0; i < d.count; i++) {
      const key = d.kind[i] + d.text(i);
      let s = sums.get(key);
      if (!s) sums.set(key, s = { name: d.text(i), kind: kinds[d.kind[i]], calls: 0, self: 0, total: 0, bytes: 0, event: i });
      s.calls++;
      s.self += d.self[i];
      s.total += d.duration[i];
      s.bytes += d.bytes[i];
    }
    this.rows = [...sums.values()];
  }

  draw() {
    const d = this.app.data, [key, way] = this.order, word = this.app.word;
    const columns = [["name", "Name"], ["kind", "Kind"], ["calls", "Calls", count], ["self", "Self", duration], ["total", "Total", duration]];
    if (d.times.length) columns.push(["bytes", "Allocated", bytes]);
    const rows = this.rows.filter(r => !word || r.name.toLowerCase().includes(word))
      .sort((a, b) => way * (typeof a[key] === "number" ? a[key] - b[key] : a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
    this.node.replaceChildren(element("table", {}, element("caption", {}, `${count(rows.length)} operators and regions`),
      element("thead", {}, element("tr", {}, ...columns.map(([k, title, number]) =>
        element("th", { class: number ? "number" : "", "aria-sort": k === key ? way < 0 ? "descending" : "ascending" : false },
          element("button", { type: "button", class: "plain", onclick: () => { this.order = [k, k === key ? -way : number ? -1 : 1]; this.draw(); } }, title))))),
      element("tbody", {}, ...rows.map(r => element("tr", { onclick: () => this.app.details(r) },
        ...columns.map(([k, , number]) => element("td", { class: number ? "number" : "" }, number ? number(r[k]) : r[k])))))));
  }
}

class App {
  constructor(data) {
    this.data = data;
    this.word = "";
    this.match = null;
    this.detailsNode = element("aside", { id: "details", "aria-live": "polite", "aria-label": "Details" });
    this.panel = element("div", { role: "tabpanel", id: "panel" });
    this.views = [["flame", "Flame graph", new Flame(this)], ["timeline", "Timeline", new Timeline(this)], ["operators", "Operators", new Table(this)]];
    document.getElementById("tabs").replaceChildren(...this.views.map(([id, name]) =>
      element("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel", onclick: () => this.open(id) }, name)));
    document.getElementById("tabs").addEventListener("keydown", e => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key], n = this.views.length;
      if (!way) return;
      this.open(this.views[(this.views.findIndex(v => v[2] === this.current) + way + n) % n][0]);
      document.querySelector("[role=tab][aria-selected=true]").focus();
    });
    document.getElementById("filter").addEventListener("input", e => {
      this.word = e.target.value.trim().toLowerCase();
      this.match = data.matcher(this.word);
      this.current.draw();
    });
    addEventListener("resize", () => this.current.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { data.rank.clear(); this.current.draw(); });
    this.figures();
    document.getElementById("views").replaceChildren(this.panel, this.detailsNode);
    this.open(location.hash.slice(1));
  }

  figures() {
    const d = this.data;
    let calls = 0, own = 0;
    for (let i = 0; i < d.count; i++) if (d.kind[i] < 2) { calls++; own += d.self[i]; }
    const pairs = [["Recorded", duration(d.span)], ["In operators", duration(own)], ["Calls", count(calls)], ["Rows", count(d.lanes.length)]];
    if (d.times.length) pairs.push(["Most allocated", bytes(d.allocated.reduce((x, y) => Math.max(x, y), -Infinity))]);
    document.getElementById("figures").replaceChildren(...pairs.map(([k, v]) =>
      element("div", { id: "figure-" + k.toLowerCase().replaceAll(" ", "-") }, element("dt", {}, k), element("dd", {}, v))));
  }

  open(id) {
    const view = this.views.find(v => v[0] === id) || this.views[0];
    this.current = view[2];
    for (const [name] of this.views) {
      const tab = document.getElementById("tab-" + name);
      tab.setAttribute("aria-selected", String(name === view[0]));
      tab.tabIndex = name === view[0] ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", "tab-" + view[0]);
    this.panel.replaceChildren(view[2].node);
    if (location.protocol !== "about:") history.replaceState(null, "", "#" + view[0]); // a page in a frame has no address of its own
    this.details(null);
    this.current.draw();
  }

  // details shows what, which is one event or the sum of several. For null it shows a hint.
  details(what) {
    const d = this.data;
    if (!what) {
      this.detailsNode.replaceChildren(element("p", { class: "hint" }, "Point at a call to see what it took, and the lines of Go that led to it."));
      return;
    }
    const i = what.event, facts = what.one
      ? [["Kind", kinds[d.kind[i]]], ["Took", duration(d.duration[i])], ["Itself", duration(d.self[i])], ["Began", duration(d.start[i])], ["Row", d.lanes[d.lane[i]]],
        ["Allocated", d.times.length ? bytes(d.bytes[i]) : ""]]
      : [["Total", duration(what.total)], ["Itself", duration(what.self)], ["Calls", what.calls ? count(what.calls) : ""],
        ["Of all", what.up ? (100 * what.total / this.views[0][2].root.total).toFixed(1) + " %" : ""]];
    const lines = i === undefined ? [] : d.lines(i);
    this.detailsNode.replaceChildren(element("h2", {}, shorten(what.name)),
      element("dl", {}, ...facts.filter(f => f[1] !== "").flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])),
      ...(lines.length ? [element("h3", {}, "Called by"), element("ol", { class: "stack" }, ...lines.map(l => {
        const m = /^(.*)\((\d+)\): (.*)$/.exec(l) || [l, l, "", l];
        return element("li", {}, m[3], element("span", { class: "where" }, `${shortFile(m[1])}:${m[2]}`));
      }))] : []));
  }
}

// Read the data after the first paint, so that the page shows "Reading the profile" meanwhile.
requestAnimationFrame(() => setTimeout(async () => {
  const start = performance.now();
  try {
    window.app = new App(new Data(...await readPayload()));
    document.body.dataset.ready = (performance.now() - start).toFixed(0);
  } catch (e) {
    document.getElementById("views").replaceChildren(element("p", { role: "alert" }, "The profile cannot be shown: " + e.message));
    throw e;
  }
}));
