// The flame graph shows which functions called which others. Widths are times. A click on a box
// zooms in, and a second click on it zooms out.

const row = 20;

class Flame {
  constructor(app) {
    this.app = app;
    this.canvas = element("canvas", { id: "flame", tabindex: 0, role: "img", "aria-label": "Flame graph" });
    this.by = element("select", { id: "by", onchange: () => { this.build(); this.draw(); } },
      element("option", { value: "lines" }, "lines of Go, then operators"), element("option", { value: "operators" }, "operators"));
    this.node = element("section", { class: "timeline" },
      element("div", { class: "bar" }, element("label", {}, "Stacked by ", this.by), element("span", { class: "hint" }, "Widths are time. Click to zoom, Escape to go back.")),
      element("div", { class: "table", style: "flex: 1" }, this.canvas));
    this.by.value = app.data.stacks.length > 1 ? "lines" : "operators";
    this.canvas.addEventListener("mousemove", e => this.app.details(this.at(e)));
    this.canvas.addEventListener("click", e => { const n = this.at(e); if (n) { this.zoom = n === this.zoom ? this.root : n; this.draw(); } });
    this.canvas.addEventListener("keydown", e => { if (e.key === "Escape") { this.zoom = this.root; this.draw(); } });
    this.build();
  }

  // build makes the tree of calls. It adds up the times of events with the same call path.
  build() {
    const d = this.app.data, lines = this.by.value === "lines";
    const child = (n, name) => {
      let c = n.children.get(name);
      if (!c) n.children.set(name, c = { name, total: 0, self: 0, calls: 0, children: new Map(), up: n, depth: n.depth + 1 });
      return c;
    };
    this.root = this.zoom = { name: "all", total: 0, self: 0, calls: 0, children: new Map(), up: null, depth: 0 };
    const of = new Array(d.count);
    for (let i = 0; i < d.count; i++) {
      if (d.kind[i] >= 3 || lines && d.kind[i] === 2) continue;
      const p = d.parent[i];
      let from = p >= 0 ? of[p] : null;
      if (!from || lines && d.stack[p] !== d.stack[i]) {
        from = this.root;
        if (lines) for (const l of d.lines(i).reverse()) from = child(from, l);
      }
      const n = of[i] = child(from, d.text(i));
      n.calls++;
      n.self += d.self[i];
      n.event ??= i;
    }
    this.deepest = 0;
    const sum = n => {
      n.total = n.self;
      this.deepest = Math.max(this.deepest, n.depth);
      for (const c of n.children.values()) n.total += sum(c);
      n.sorted = [...n.children.values()].sort((a, b) => b.total - a.total);
      return n.total;
    };
    sum(this.root);
  }

  draw() {
    const ratio = devicePixelRatio || 1, width = Math.max(this.canvas.parentElement.clientWidth - 2, 100), height = (this.deepest + 1) * row;
    Object.assign(this.canvas.style, { width: width + "px", height: height + "px", display: "block" });
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const g = this.canvas.getContext("2d"), word = this.app.word;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    this.boxes = [];
    const box = (n, x, w) => {
      if (w < 0.4) return;
      const y = n.depth * row;
      this.boxes.push({ n, x, w, y });
      const found = !word || n.name.toLowerCase().includes(word);
      g.fillStyle = n.up ? this.app.data.color(n.name, !found) : css("--line");
      g.fillRect(x, y, Math.max(w - 0.7, 0.4), row - 1);
      if (w > 34) {
        g.save();
        g.beginPath();
        g.rect(x, y, w - 5, row);
        g.clip();
        g.fillStyle = n.up && found ? "#ffffff" : css("--text");
        g.fillText(shorten(n.name), x + 4, y + row / 2);
        g.restore();
      }
    };
    for (let n = this.zoom.up; n; n = n.up) box(n, 0, width);
    const spread = (n, x, w) => {
      box(n, x, w);
      for (const c of n.sorted) {
        const part = n.total > 0 ? w * c.total / n.total : 0;
        if (part >= 0.4) spread(c, x, part);
        x += part;
      }
    };
    spread(this.zoom, 0, width);
  }

  at(e) {
    const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.x, y = e.clientY - r.y;
    return this.boxes.find(b => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + row)?.n ?? null;
  }
}

// shorten removes the folders from the name of a Go call.
function shorten(name) {
  const m = /^(.*)\((\d+)\): (.*)$/.exec(name);
  return m ? `${m[3]} · ${baseName(m[1])}:${m[2]}` : name;
}
