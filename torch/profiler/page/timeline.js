// The timeline has a lane for each goroutine and thread. Calls are below their callers. The
// wheel zooms, and dragging moves.

class Timeline {
  constructor(app) {
    this.app = app;
    this.canvas = element("canvas", { id: "plot", tabindex: 0, role: "img", "aria-label": "Timeline" });
    this.node = element("section", { class: "timeline" },
      element("div", { class: "bar" }, element("button", { type: "button", onclick: () => this.show(0, app.data.span) }, "All"),
        element("span", { class: "hint" }, "The wheel zooms, dragging moves, + and − and the arrows do too.")),
      this.canvas);
    this.from = 0;
    this.to = app.data.span;
    this.canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.time(e)); }, { passive: false });
    this.canvas.addEventListener("mousedown", e => { this.drag = { x: e.clientX, from: this.from, to: this.to }; });
    addEventListener("mouseup", () => { this.drag = null; });
    this.canvas.addEventListener("mousemove", e => {
      if (this.drag) {
        const by = (this.drag.x - e.clientX) / this.width * (this.drag.to - this.drag.from);
        this.show(this.drag.from + by, this.drag.to + by);
      } else this.app.details(this.at(e));
    });
    this.canvas.addEventListener("keydown", e => {
      const mid = (this.from + this.to) / 2, step = (this.to - this.from) / 5;
      if (e.key === "+") this.zoom(0.8, mid);
      if (e.key === "-") this.zoom(1.25, mid);
      if (e.key === "ArrowLeft") this.show(this.from - step, this.to - step);
      if (e.key === "ArrowRight") this.show(this.from + step, this.to + step);
    });
  }

  zoom(by, around) { this.show(around - (around - this.from) * by, around + (this.to - around) * by); }

  show(from, to) {
    const span = this.app.data.span, length = Math.min(Math.max(to - from, 0.05), span);
    this.from = Math.min(Math.max(from, 0), span - length);
    this.to = this.from + length;
    this.draw();
  }

  time(e) { return this.from + (e.clientX - this.canvas.getBoundingClientRect().x - this.left) / this.width * (this.to - this.from); }

  draw() {
    const d = this.app.data, ratio = devicePixelRatio || 1, total = Math.max(this.canvas.clientWidth, 200), h = 16, memory = d.times.length ? 64 : 0;
    this.left = d.lanes.reduce((w, l) => Math.max(w, 7 * l.length + 6), 92);
    this.width = total - this.left;
    this.tops = [];
    let y = 24 + memory;
    for (let l = 0; l < d.lanes.length; l++) { this.tops.push(y); y += d.depths[l] * h + 10; }
    this.canvas.style.flex = "none";
    this.canvas.style.height = y + "px";
    this.canvas.width = total * ratio;
    this.canvas.height = y * ratio;
    const g = this.canvas.getContext("2d"), scale = this.width / (this.to - this.from), match = this.app.match;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (const t of niceSteps(this.to - this.from, 6)) {
      const x = this.left + t * scale;
      g.fillStyle = css("--text-soft");
      g.fillText(duration(this.from + t), Math.min(x + 3, total - 60), 10);
      g.fillStyle = css("--grid");
      g.fillRect(x, 18, 1, y - 18);
    }
    if (memory) this.memory(g, scale, memory);
    this.boxes = [];
    for (let l = 0; l < d.lanes.length; l++) {
      g.fillStyle = css("--text-soft");
      g.fillText(d.lanes[l], 2, this.tops[l] + h / 2);
      const last = new Float64Array(d.depths[l]).fill(-1); // where the last box of each row ends, in pixels
      for (const i of d.unders[l]) {
        const a = this.left + (d.start[i] - this.from) * scale, b = a + d.duration[i] * scale, top = this.tops[l] + d.depth[i] * h;
        if (b < this.left || a > total || b - last[d.depth[i]] < 0.3) continue;
        const x = Math.max(a, this.left), w = Math.max(Math.min(b, total) - x, 0.6);
        last[d.depth[i]] = x + w;
        this.boxes.push({ i, x, w, y: top });
        const name = d.text(i);
        g.fillStyle = d.color(name, match && !match(i));
        g.fillRect(x, top, Math.max(w - 0.4, 0.6), h - 1);
        if (w > 40) {
          g.save();
          g.beginPath();
          g.rect(x, top, w - 3, h);
          g.clip();
          g.fillStyle = match && !match(i) ? css("--text") : "#ffffff";
          g.fillText(name, x + 3, top + h / 2);
          g.restore();
        }
      }
    }
  }

  // memory draws the memory that the CPU allocator has allocated.
  memory(g, scale, height) {
    const d = this.app.data, least = d.allocated.reduce((x, y) => Math.min(x, y), Infinity);
    const most = d.allocated.reduce((x, y) => Math.max(x, y), -Infinity), range = Math.max(most - least, 1);
    g.fillStyle = css("--text-soft");
    g.fillText(bytes(most), 2, 28);
    g.fillText(bytes(least), 2, 18 + height - 8);
    g.fillStyle = css("--mark-a");
    let x = this.left, level = 0;
    const to = (until, next) => {
      const end = Math.min(Math.max(until, this.left), this.left + this.width);
      if (end > x) { g.fillRect(x, 18 + height - level, end - x, level); x = end; }
      level = (next - least) / range * (height - 6);
    };
    for (let k = 0; k < d.times.length; k++) to(this.left + (d.times[k] - this.from) * scale, d.allocated[k]);
    to(this.left + this.width, 0);
  }

  at(e) {
    const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.x, y = e.clientY - r.y;
    const b = this.boxes.find(b => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + 16);
    return b ? { name: this.app.data.text(b.i), event: b.i, one: true } : null;
  }
}
