// The segments at one moment: a row for each, with its blocks, and the events around that
// moment.

class Segments {
  constructor(app) {
    this.app = app;
    this.row = 22;
    this.canvas = element("canvas", { id: "rows", tabindex: 0, role: "img", "aria-label": "Segments, a row each, with their blocks" });
    this.scroll = element("div", { class: "scroll" }, this.canvas, element("div", { class: "filler" }));
    this.slider = element("input", { id: "moment", type: "range", min: 0, step: 1, "aria-label": "Moment", oninput: e => app.setMoment(+e.target.value) });
    this.caption = element("p", { id: "state", role: "status" });
    this.events = element("ol", { id: "events", "aria-label": "Events around this moment" });
    const step = (text, label, by) => element("button", { type: "button", "aria-label": label, title: label,
      onclick: () => app.setMoment(Math.min(Math.max(app.moment + by, 0), this.device.events)) }, text);
    this.node = element("section", { class: "segments" },
      element("div", { class: "bar" }, step("‹", "One event back", -1), this.slider, step("›", "One event on", 1)),
      this.caption, this.scroll, element("h2", {}, "Events"), this.events);
    this.scroll.addEventListener("scroll", () => this.paint());
    this.canvas.addEventListener("pointermove", e => this.point(e));
    this.canvas.addEventListener("pointerleave", () => { this.chosen = -1; this.paint(); app.details(this.kept || null); });
    this.canvas.addEventListener("click", e => { this.kept = this.point(e); });
  }

  setDevice(device, mask) {
    if (device !== this.device) this.kept = null;
    this.device = device;
    this.mask = mask;
    this.slider.max = device.events;
    this.draw();
  }

  draw() {
    const d = this.device, moment = this.app.moment;
    if (!this.node.isConnected) return;
    this.slider.value = moment;
    const rows = new Map();
    d.regions.forEach((r, k) => { if (r.start <= moment && r.end > moment) rows.set(k, []); });
    let held = 0, blocks = 0, outside = 0;
    d.eachHeld(moment, i => {
      held += d.size[i];
      blocks++;
      const row = rows.get(d.region[i]);
      if (row) row.push(i); else outside++;
    });
    this.rows = [...rows].sort((a, b) => d.regions[b[0]].size - d.regions[a[0]].size || a[0] - b[0]);
    let reserved = 0;
    for (const [k] of this.rows) reserved += d.regions[k].size;
    this.caption.textContent = `After ${count(moment)} of ${count(d.events)} events: ${bytes(held)} in ${count(blocks)} blocks; ` +
      `${bytes(reserved)} reserved in ${count(this.rows.length)} segments` + (outside ? `; ${count(outside)} blocks lie in no known segment` : "") + ".";
    this.node.querySelector(".filler").style.height = this.rows.length * this.row + "px";
    this.paint();
    this.listEvents();
  }

  // paint draws the rows that are scrolled into view.
  paint() {
    const d = this.device, r = devicePixelRatio || 1, c = this.canvas;
    const width = this.scroll.clientWidth, height = this.scroll.clientHeight;
    if (!width || !this.rows) return;
    c.width = Math.round(width * r);
    c.height = Math.round(height * r);
    c.style.height = height + "px";
    c.style.width = width + "px";
    const g = c.getContext("2d"), label = this.label = Math.round(Math.min(Math.max(width * 0.42, 150), 420));
    g.scale(r, r);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    const top = this.scroll.scrollTop, largest = this.rows.length ? d.regions[this.rows[0][0]].size : 1;
    const room = width - label - 8, colors = new Map();
    this.scale = k => Math.max(room * d.regions[k].size / largest, 8) / Math.max(d.regions[k].size, 1);
    for (let n = Math.floor(top / this.row); n < this.rows.length && n * this.row < top + height; n++) {
      const [k, blocks] = this.rows[n], region = d.regions[k], y = n * this.row - top, s = this.scale(k);
      g.fillStyle = css("--text-soft");
      g.fillText(this.describe(k, blocks, text => g.measureText(text).width < label - 8), 0, y + this.row / 2, label - 8);
      g.fillStyle = css("--free");
      g.fillRect(label, y + 3, region.size * s, this.row - 6);
      for (const i of blocks) {
        const stack = d.stack[i];
        if (!colors.has(stack)) colors.set(stack, rgb(colorOf(d.data.rank[d.data.category[stack]], (stack * 0.618034) % 1)));
        g.globalAlpha = this.mask && !this.mask[stack] ? 0.15 : 1;
        g.fillStyle = i === this.chosen ? css("--text") : colors.get(stack);
        const w = d.size[i] * s;
        g.fillRect(label + d.offset[i] * s, y + 3, w > 3 ? w - 0.5 : Math.max(w, 0.5), this.row - 6);
      }
      g.globalAlpha = 1;
    }
  }

  // describe returns a row's text. It always contains the address, and as many as fit of the
  // properties that distinguish a segment from others of its size.
  describe(k, blocks, fits = () => true) {
    const d = this.device, r = d.regions[k], used = blocks.reduce((a, i) => a + d.size[i], 0);
    const at = d.data.site(r.stack), line = at && (at.caller ?? at.call);
    const parts = [`${bytes(used)} of ${bytes(r.size)}`, r.kind, d.when(r.start), line ? `${baseName(line.file)}:${line.line}` : "", r.address];
    const text = () => parts.filter(t => t !== "").join(" · ");
    for (const less of [2, 1, 3]) if (!fits(text())) parts[less] = "";
    if (!fits(text())) parts[0] = bytes(used);
    return text();
  }

  point(e) {
    const row = this.rows && this.rows[Math.floor((e.offsetY + this.scroll.scrollTop) / this.row)];
    let chosen = -1;
    if (row) {
      const at = (e.offsetX - this.label) / this.scale(row[0]), slack = 1.5 / this.scale(row[0]);
      for (const i of row[1]) {
        if (this.device.offset[i] <= at + slack && at < this.device.offset[i] + this.device.size[i] + slack) chosen = i;
      }
    }
    if (chosen !== this.chosen) {
      this.chosen = chosen;
      this.paint();
    }
    const found = chosen >= 0 ? { block: chosen } : row ? { region: row[0] } : null;
    this.app.details(found || this.kept || null);
    return found;
  }

  listEvents() {
    const d = this.device, moment = this.app.moment, from = Math.max(moment - 8, 0), to = Math.min(moment + 4, d.events);
    this.events.replaceChildren();
    this.events.start = from + 1;
    for (let k = from; k < to; k++) {
      const e = d.describe(k);
      this.events.append(element("li", { "aria-current": k === moment - 1 ? "step" : null },
        element("button", { type: "button", class: "plain", title: e.stack ? d.data.title(e.stack) : null, onclick: () => {
          this.app.setMoment(k + 1);
          this.app.details(e.block !== undefined ? { block: e.block } : e.region !== undefined ? { region: e.region } : e.stack !== null ? { title: e.action, text: e.text, stack: e.stack } : null);
        } }, element("span", { class: "when" }, d.when(k + 1)), " ", element("b", {}, e.action), " " + e.text + (e.stack ? " · " + d.data.title(e.stack) : ""))));
    }
  }
}
