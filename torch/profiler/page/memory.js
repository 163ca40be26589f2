// The memory of each category over time, stacked. See memory_page.go.

class Memory {
  constructor(head, column) {
    Object.assign(this, { device: head.device, names: head.categories, span: head.span });
    this.times = column(head.times);
    this.sizes = head.sizes.map(column);
    this.shown = this.names.map(() => true);
    this.total = new Float64Array(this.times.length);
    for (const s of this.sizes) for (let i = 0; i < s.length; i++) this.total[i] += s[i];
    this.canvas = element("canvas", { id: "plot", tabindex: 0, role: "img", "aria-label": "Memory by category over time" });
    this.legend = element("fieldset", { id: "legend", class: "bar" }, element("legend", {}, "Categories"));
    this.names.forEach((name, k) => {
      const most = this.sizes[k].reduce((x, y) => Math.max(x, y), 0);
      this.legend.append(element("label", { style: "margin-right: 1em" },
        element("input", { type: "checkbox", checked: true, id: "category-" + k, onchange: e => { this.shown[k] = e.target.checked; this.draw(); } }),
        element("span", { style: `display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.3em; background: ${rgb(this.color(k))}` }),
        `${name.toLowerCase().replaceAll("_", " ")}, at most ${bytes(most)}`));
    });
    this.detailsNode = element("aside", { id: "details", "aria-live": "polite", "aria-label": "Details" });
    document.getElementById("views").replaceChildren(
      element("section", { class: "timeline", style: "flex: 1" }, this.legend, this.canvas), this.detailsNode);
    const peak = this.peak();
    const figures = [["Device", this.device], ["Recorded", duration(this.span)], ["Most allocated", bytes(this.total[peak] ?? 0)]];
    document.getElementById("figures").replaceChildren(...figures.map(([k, v]) =>
      element("div", { id: "figure-" + k.toLowerCase().replaceAll(" ", "-") }, element("dt", {}, k), element("dd", {}, v))));
    this.canvas.addEventListener("mousemove", e => {
      const r = this.canvas.getBoundingClientRect();
      this.details((e.clientX - r.x - this.left) / this.width * this.span);
    });
    addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => location.reload());
    this.details(this.times[peak]);
    this.draw();
  }

  color(k) { return colorOf(k === this.names.length - 1 ? -1 : k, 0.5); }

  peak() { return this.total.reduce((best, v, i) => v > this.total[best] ? i : best, 0); }

  // details shows the memory of each category at a time.
  details(time) {
    let i = 0;
    for (let lo = 0, hi = this.times.length - 1; lo <= hi;) {
      const mid = (lo + hi) >> 1;
      if (this.times[mid] <= time) { i = mid; lo = mid + 1; } else hi = mid - 1;
    }
    this.detailsNode.replaceChildren(element("h2", {}, duration(Math.max(0, this.times[i]))),
      element("dl", {}, ...this.names.flatMap((name, k) => [element("dt", {}, name.toLowerCase().replaceAll("_", " ")), element("dd", {}, bytes(this.sizes[k][i]))]),
        element("dt", {}, "all"), element("dd", { id: "all" }, bytes(this.total[i]))));
  }

  draw() {
    const ratio = devicePixelRatio || 1, total = Math.max(this.canvas.clientWidth, 200), height = 420, foot = 22, top = 10;
    this.left = 72;
    this.width = total - this.left - 8;
    this.canvas.style.flex = "none";
    this.canvas.style.height = height + "px";
    this.canvas.width = total * ratio;
    this.canvas.height = height * ratio;
    const g = this.canvas.getContext("2d"), n = this.times.length, sum = new Float64Array(n);
    for (let k = 0; k < this.sizes.length; k++) if (this.shown[k]) for (let i = 0; i < n; i++) sum[i] += this.sizes[k][i];
    const most = Math.max(sum.reduce((x, y) => Math.max(x, y), 0), 1), scale = (height - foot - top) / most;
    const x = t => this.left + t / Math.max(this.span, 1e-3) * this.width;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (const v of niceSteps(most, 5, true)) {
      const y = height - foot - v * scale;
      g.fillStyle = css("--text-soft");
      g.fillText(bytes(v), 2, y);
      g.fillStyle = css("--grid");
      g.fillRect(this.left, y, this.width, 1);
    }
    for (const t of niceSteps(this.span, 6)) {
      g.fillStyle = css("--text-soft");
      g.fillText(duration(t), Math.min(x(t), total - 60), height - 8);
    }
    this.heights = this.names.map(() => 0);
    const under = new Float64Array(n);
    for (let k = 0; k < this.sizes.length; k++) {
      if (!this.shown[k]) continue;
      g.fillStyle = rgb(this.color(k));
      for (let i = 0; i < n; i++) {
        const from = Math.floor(x(this.times[i])), to = Math.floor(i + 1 < n ? x(this.times[i + 1]) : x(this.span)), high = this.sizes[k][i] * scale;
        if (high > 0) g.fillRect(from, height - foot - under[i] * scale - high, Math.max(to - from, 1), high);
        this.heights[k] = Math.max(this.heights[k], high);
        under[i] += this.sizes[k][i];
      }
    }
  }
}

requestAnimationFrame(() => setTimeout(async () => {
  try {
    window.app = new Memory(...await readPayload());
    document.body.dataset.ready = "1";
  } catch (e) {
    document.getElementById("views").replaceChildren(element("p", { role: "alert" }, "The timeline cannot be shown: " + e.message));
    throw e;
  }
}));
