// Tables: the memory of packages and stacks, and its changes.

const longest = 500; // rows of a table

// table creates a sortable table. Columns are {name, value, show, numeric}. detail
// creates the contents of an opened row.
function table(caption, columns, rows, detail) {
  let by = columns.findIndex(c => c.first), down = !columns[by].upwards;
  const body = element("tbody");
  const headers = columns.map((c, k) => element("th", { scope: "col", class: c.numeric ? "number" : "" },
    element("button", { type: "button", class: "plain", onclick: () => { down = by === k ? !down : !!c.numeric; by = k; fill(); } }, c.name)));
  const fill = () => {
    const v = columns[by].value;
    rows.sort((a, b) => (v(a) < v(b) ? -1 : v(a) > v(b) ? 1 : 0) * (down ? -1 : 1));
    headers.forEach((h, k) => k === by ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    body.replaceChildren(...rows.slice(0, longest).flatMap(line));
  };
  const line = row => {
    const cells = columns.map((c, k) => element("td", { class: (c.numeric ? "number " : "") + (c.style ? c.style(row) : "") },
      k === 0 && detail ? element("button", { type: "button", class: "plain open", "aria-expanded": "false" }, c.show(row)) : c.show(row)));
    const tr = element("tr", {}, ...cells);
    if (!detail) return [tr];
    const more = element("tr", { class: "more", hidden: true }, element("td", { colspan: columns.length }));
    tr.addEventListener("click", () => {
      more.hidden = !more.hidden;
      tr.querySelector(".open").setAttribute("aria-expanded", String(!more.hidden));
      if (!more.hidden && !more.firstChild.firstChild) more.firstChild.append(detail(row));
    });
    return [tr, more];
  };
  fill();
  return element("div", { class: "table" }, element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...headers)), body),
    rows.length > longest ? element("p", { class: "hint" }, `${count(rows.length - longest)} more rows; the filter narrows them.`) : null);
}

function swatch(data, category) {
  const s = element("span", { class: "swatch", "aria-hidden": "true" });
  s.style.background = rgb(colorOf(data.rank[category], 0.5));
  return s;
}

function named(data, category, text) { return element("span", {}, swatch(data, category), text ?? data.categories[category]); }

// stackList shows a stack, innermost call first.
function stackList(data, stack) {
  const lines = data.lines(stack);
  if (!lines.length) return element("p", { class: "hint" }, "The stack was not recorded.");
  const list = element("ol", { class: "stack" });
  let forward = false;
  for (const l of lines) {
    if (l.forward && !forward) list.append(element("li", { class: "hint" }, "computing the gradient of:"));
    forward = l.forward;
    list.append(element("li", { title: l.file }, element("code", {}, l.name), element("span", { class: "where" }, `${shortFile(l.file)}:${l.line}`)));
  }
  return list;
}

// sum adds up the bytes held at a moment, by stack or by package.
function sum(device, moment, mask, key) {
  const held = new Map();
  device.eachHeld(moment, i => {
    if (mask && !mask[device.stack[i]]) return;
    const k = key(device.stack[i]);
    const h = held.get(k) || { key: k, bytes: 0, blocks: 0, least: Infinity, most: 0, first: Infinity, last: 0 };
    h.bytes += device.size[i];
    h.blocks++;
    h.least = Math.min(h.least, device.size[i]);
    h.most = Math.max(h.most, device.size[i]);
    h.first = Math.min(h.first, device.start[i]);
    h.last = Math.max(h.last, device.start[i]);
    held.set(k, h);
  });
  return held;
}

class Packages {
  constructor(app) { this.app = app; this.node = element("section", {}); }

  setDevice(device, mask) { this.device = device; this.mask = mask; this.draw(); }

  draw() {
    const d = this.device, data = d.data, of = s => data.category[s], rows = new Map();
    const row = k => { if (!rows.has(k)) rows.set(k, { key: k, cursor: 0, peak: 0, end: 0, allocated: 0, times: 0 }); return rows.get(k); };
    for (const [field, moment] of [["cursor", this.app.moment], ["peak", d.peak], ["end", d.events]]) {
      for (const h of sum(d, moment, this.mask, of).values()) row(h.key)[field] = h.bytes;
    }
    for (let i = 0; i < d.blocks; i++) {
      if (this.mask && !this.mask[d.stack[i]]) continue;
      const r = row(of(d.stack[i]));
      r.allocated += d.size[i];
      r.times++;
    }
    const size = (name, field, first) => ({ name, numeric: true, first, value: r => r[field], show: r => bytes(r[field]) });
    this.node.replaceChildren(table("Bytes held by each package, or top-level Python module", [
      { name: "Package", value: r => data.categories[r.key], show: r => named(data, r.key) },
      size("At the peak", "peak", true), size("At the cursor", "cursor"), size("At the end", "end"), size("Allocated in all", "allocated"),
      { name: "Allocations", numeric: true, value: r => r.times, show: r => count(r.times) },
    ], [...rows.values()]));
  }
}

class Stacks {
  constructor(app) {
    this.app = app;
    this.when = element("select", { id: "when", onchange: () => this.draw() },
      ...[["peak", "at the peak"], ["cursor", "at the cursor"], ["end", "at the end"]].map(([v, t]) => element("option", { value: v }, t)));
    this.body = element("div");
    this.node = element("section", {}, element("div", { class: "bar" }, element("label", {}, "Held ", this.when)), this.body);
  }

  setDevice(device, mask) { this.device = device; this.mask = mask; this.draw(); }

  draw() {
    const d = this.device, data = d.data;
    const moment = { peak: d.peak, cursor: this.app.moment, end: d.events }[this.when.value];
    const rows = [...sum(d, moment, this.mask, s => s).values()], titles = data.titles(rows.map(r => r.key));
    this.body.replaceChildren(table(`${bytes(rows.reduce((a, r) => a + r.bytes, 0))} after ${count(moment)} events, by stack`, [
      { name: "Allocated by", value: r => titles.get(r.key), show: r => named(data, data.category[r.key], titles.get(r.key)) },
      { name: "Bytes", numeric: true, first: true, value: r => r.bytes, show: r => bytes(r.bytes) },
      { name: "Blocks", numeric: true, value: r => r.blocks, show: r => count(r.blocks) },
      { name: "Each", numeric: true, value: r => r.most, show: r => range(r.least, r.most, bytes) },
      { name: "Allocated", numeric: true, value: r => r.first, show: r => range(r.first, r.last, m => d.when(m)) },
    ], rows, r => stackList(data, r.key)));
  }
}

// Difference compares the bytes held at the ends of two snapshots, on the devices with
// the same name.
class Difference {
  constructor(app) {
    this.app = app;
    this.by = element("select", { id: "by", onchange: () => this.draw() },
      ...[["stack", "stack"], ["package", "package"]].map(([v, t]) => element("option", { value: v }, t)));
    this.body = element("div");
    this.node = element("section", {}, element("div", { class: "bar" }, element("label", {}, "By ", this.by)), this.body);
  }

  setDevice(device, mask) { this.device = device; this.mask = mask; this.draw(); }

  rows(key) {
    const rows = new Map();
    this.app.data.snapshots.forEach((s, side) => {
      const d = s.devices.find(x => x.name === this.device.name);
      if (!d) return;
      for (const h of sum(d, d.events, this.mask, key).values()) {
        if (!rows.has(h.key)) rows.set(h.key, { key: h.key, bytes: [0, 0], blocks: [0, 0] });
        rows.get(h.key).bytes[side] = h.bytes;
        rows.get(h.key).blocks[side] = h.blocks;
        Object.assign(rows.get(h.key), { least: h.least, most: h.most }); // from the later snapshot, if it has the key
      }
    });
    return [...rows.values()];
  }

  draw() {
    const data = this.app.data, byStack = this.by.value === "stack", [a, b] = data.snapshots.map(s => s.name);
    const rows = this.rows(byStack ? s => s : s => data.category[s]);
    const grown = r => r.bytes[1] - r.bytes[0], more = r => r.blocks[1] - r.blocks[0];
    const all = rows.reduce((t, r) => t + grown(r), 0);
    const titles = byStack ? data.titles(rows.map(r => r.key)) : null;
    const title = r => byStack ? titles.get(r.key) : data.categories[r.key];
    const name = this.device.name;
    this.body.replaceChildren(table(`On ${name}: ${signed(all, bytes)} from ${a} to ${b}`, [
      { name: byStack ? "Allocated by" : "Package", value: title, show: r => named(data, byStack ? data.category[r.key] : r.key, title(r)) },
      { name: "Growth", numeric: true, first: true, value: grown, show: r => signed(grown(r), bytes), style: r => grown(r) > 0 ? "grown" : grown(r) < 0 ? "shrunk" : "" },
      { name: "Blocks", numeric: true, value: more, show: r => signed(more(r), count) },
      { name: "Bytes before", numeric: true, value: r => r.bytes[0], show: r => bytes(r.bytes[0]) },
      { name: "Bytes after", numeric: true, value: r => r.bytes[1], show: r => bytes(r.bytes[1]) },
      { name: "Each", numeric: true, value: r => r.most, show: r => range(r.least, r.most, bytes) },
    ], rows, byStack ? r => stackList(data, r.key) : null));
  }
}
