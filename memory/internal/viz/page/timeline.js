// The timeline: blocks stacked in the order of their allocation. Each column of pixels
// shows the moment in its interval at which most bytes are held, so that every peak is
// visible.

class Timeline {
  constructor(app, item = "block", label = "Timeline of bytes held.") {
    this.app = app;
    this.item = item;
    this.mode = "blocks";
    this.axis = "events";
    this.left = 74;
    this.bottom = 24;
    this.canvas = element("canvas", {
      id: "plot", tabindex: 0, role: "application", "aria-describedby": "keys",
      "aria-label": `${label} Arrows move the cursor and choose a ${item}, plus and minus zoom.`,
    });
    this.map = element("canvas", { id: "map", "aria-hidden": "true" });
    const button = (text, label, click) => element("button", { type: "button", title: label, "aria-label": label, onclick: click }, text);
    const choice = (id, label, options, set) => element("label", {}, label + " ", element("select",
      { id, onchange: e => { set(e.target.value); this.draw(); } }, ...options.map(([v, t]) => element("option", { value: v }, t))));
    this.node = element("section", { class: "timeline" },
      element("div", { class: "bar" },
        choice("mode", "Show", [["blocks", "each " + item], ["packages", "packages"]], v => { this.mode = v; }),
        choice("axis", "Across", [["events", "events"], ["time", "time"]], v => { this.toAxis(v); }),
        button("−", "Zoom out", () => this.zoom(1.5)), button("+", "Zoom in", () => this.zoom(1 / 1.5)),
        button("All", "Show everything", () => this.show(0, this.extent())),
        button("Peak", "Go to the peak", () => this.goTo(this.peak())),
        element("span", { id: "keys", class: "hint" }, "Drag or ⇧←→ to move, wheel or + − to zoom, ← → ↑ ↓ for the cursor, Enter to pin")),
      this.canvas, this.map, element("div", { id: "legend", class: "legend" }));
    this.listen();
  }

  setDevice(device, mask) {
    const other = device !== this.device;
    this.device = device;
    this.mask = mask;
    this.curve = mask ? device.curve(mask) : device.total;
    if (other) {
      this.lo = 0;
      this.hi = this.extent();
      this.picked = -1;
    }
    this.mapImage = null;
    this.draw();
  }

  // Positions on the axis are moments, or microseconds.
  extent() { return Math.max(this.axis === "time" ? this.device.span() : this.device.events, 1); }
  momentAt(x) { return this.axis === "time" ? this.device.momentOf(x) : Math.min(Math.max(Math.floor(x), 0), this.device.events); }
  positionOf(moment) { return this.axis === "time" ? this.device.timeOf(moment) : moment; }

  toAxis(axis) {
    const from = this.momentAt(this.lo), to = this.momentAt(this.hi);
    const all = this.lo <= 0 && this.hi >= this.extent();
    this.axis = axis;
    this.lo = this.positionOf(from);
    this.hi = Math.max(this.positionOf(to), this.lo + 1);
    if (all) { this.lo = 0; this.hi = this.extent(); }
    this.mapImage = null;
  }

  peak() {
    let p = 0;
    for (let k = 1; k < this.curve.length; k++) if (this.curve[k] > this.curve[p]) p = k;
    return p;
  }

  show(lo, hi) {
    const all = this.extent(), width = Math.min(Math.max(hi - lo, Math.min(4, all)), all);
    this.lo = Math.min(Math.max(lo, 0), all - width);
    this.hi = this.lo + width;
    this.later();
  }

  zoom(factor, at) {
    const c = at ?? (this.cursorX() ?? 0.5);
    const x = this.lo + c * (this.hi - this.lo), width = (this.hi - this.lo) * factor;
    this.show(x - c * width, x - c * width + width);
  }

  // cursorX is the cursor's position in the view, from 0 to 1, if it is in view.
  cursorX() {
    const f = (this.positionOf(this.app.moment) + (this.axis === "events" ? 0.5 : 0) - this.lo) / (this.hi - this.lo);
    return f >= 0 && f <= 1 ? f : null;
  }

  goTo(moment) {
    this.app.setMoment(moment);
    if (this.cursorX() === null) {
      const x = this.positionOf(moment), half = (this.hi - this.lo) / 2;
      this.show(x - half, x + half);
    }
    this.later();
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    const box = this.canvas.getBoundingClientRect();
    if (!this.device || box.width < 100) return;
    const ratio = devicePixelRatio || 1;
    this.ratio = ratio;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    this.x0 = Math.round(this.left * ratio);
    this.lanes = Math.min(this.device.marks.length ? 1 : 0, 1) * Math.round(18 * ratio);
    this.W = this.canvas.width - this.x0;
    this.H = this.canvas.height - Math.round(this.bottom * ratio) - this.lanes;
    const g = this.canvas.getContext("2d");
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.sample();
    this.layers = stackLayers(this);
    this.image = new ImageData(this.W, this.H);
    this.picks = new Int32Array(this.W * this.H).fill(-1);
    paintLayers(this);
    g.putImageData(this.image, this.x0, this.lanes);
    this.decorate(g);
    this.drawMap();
    this.highlight();
  }

  // sample chooses the moment of each column.
  sample() {
    const n = this.device.events, c = this.curve;
    this.moments = new Uint32Array(this.W);
    this.max = 0;
    let from = this.momentAt(this.lo);
    for (let x = 0; x < this.W; x++) {
      const to = this.momentAt(this.lo + (this.hi - this.lo) * (x + 1) / this.W);
      let best = from;
      for (let k = from + 1; k < to && k <= n; k++) if (c[k] > c[best]) best = k;
      this.moments[x] = best;
      if (c[best] > this.max) this.max = c[best];
      from = Math.max(to, from);
    }
    this.top = this.max * 1.04 || 1;
  }

  // decorate draws axes, annotations, failures and the cursor.
  decorate(g) {
    const r = this.ratio, bottom = this.lanes + this.H;
    g.font = `${12 * r}px system-ui, sans-serif`;
    g.fillStyle = css("--text-soft");
    g.strokeStyle = css("--grid");
    g.lineWidth = 1;
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const v of niceSteps(this.max, 6, true)) {
      const y = Math.round(bottom - v / this.top * this.H) - 0.5;
      g.fillText(bytes(v), this.x0 - 8 * r, Math.max(y, 8 * r));
      g.beginPath(); g.moveTo(this.x0, y); g.lineTo(this.canvas.width, y); g.stroke();
    }
    g.textBaseline = "top";
    g.textAlign = "center";
    const width = this.hi - this.lo;
    const first = niceSteps(width, Math.max(this.W / r / 140, 2), false);
    const step = first.length > 1 ? first[1] : width;
    for (let v = Math.ceil(this.lo / step) * step; v <= this.hi; v += step) {
      const x = this.x0 + (v - this.lo) / width * this.W;
      g.fillRect(x, bottom, 1, 4 * r);
      const half = 30 * r;
      g.fillText(this.axis === "time" ? duration(v) : count(v), Math.min(x, this.canvas.width - half), bottom + 6 * r);
    }
    this.drawMarks(g);
    g.fillStyle = css("--danger");
    for (const k of this.device.failures) {
      const x = this.x0 + (this.positionOf(k + 1) - this.lo) / width * this.W;
      if (x >= this.x0) { g.fillRect(x, this.lanes, 2 * r, this.H); }
    }
    const c = this.cursorX();
    if (c !== null) {
      g.fillStyle = css("--text");
      g.fillRect(Math.round(this.x0 + c * this.W), this.lanes, Math.max(1, Math.round(r)), this.H);
    }
  }

  drawMarks(g) {
    const r = this.ratio, x = m => this.x0 + Math.min(Math.max((this.positionOf(m) - this.lo) / (this.hi - this.lo), 0), 1) * this.W;
    g.textAlign = "left";
    g.textBaseline = "middle";
    this.device.marks.forEach((m, i) => {
      const a = x(m.start), b = x(Math.min(m.end, this.device.events));
      if (b <= this.x0 || a >= this.canvas.width) return;
      g.fillStyle = css(i % 2 ? "--mark-b" : "--mark-a");
      g.fillRect(a, 1, Math.max(b - a - 1, 1), this.lanes - 3);
      // Part of a name could be another name: "step 1" of "step 12".
      if (b - a < g.measureText(m.name).width + 9 * r) return;
      g.fillStyle = css("--text");
      g.fillText(m.name, a + 5 * r, this.lanes / 2);
    });
  }

  drawMap() {
    const box = this.map.getBoundingClientRect(), r = this.ratio;
    const w = this.map.width = Math.round(box.width * r), h = this.map.height = Math.round(box.height * r);
    const g = this.map.getContext("2d"), all = this.extent(), c = this.curve;
    if (!this.mapImage || this.mapImage.length !== w) {
      this.mapImage = new Float64Array(w);
      let from = 0;
      for (let x = 0; x < w; x++) {
        const to = this.momentAt(all * (x + 1) / w);
        let best = c[Math.min(from, c.length - 1)];
        for (let k = from + 1; k < to; k++) if (c[k] > best) best = c[k];
        this.mapImage[x] = best;
        from = to;
      }
    }
    const max = this.mapImage.reduce((a, b) => Math.max(a, b), 1);
    g.fillStyle = css("--map");
    for (let x = 0; x < w; x++) { const y = this.mapImage[x] / max * (h - 4); g.fillRect(x, h - y, 1, y); }
    g.fillStyle = css("--veil");
    const a = this.lo / all * w, b = this.hi / all * w;
    g.fillRect(0, 0, a, h);
    g.fillRect(b, 0, w - b, h);
    g.strokeStyle = css("--accent");
    g.lineWidth = 2 * r;
    g.strokeRect(a + r, r, Math.max(b - a - 2 * r, 2), h - 2 * r);
  }
}
