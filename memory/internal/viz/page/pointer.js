// Mouse and keyboard on the timeline.

Object.assign(Timeline.prototype, {
  listen() {
    const c = this.canvas;
    let drag = null;
    c.addEventListener("pointerdown", e => { drag = { x: e.offsetX, lo: this.lo, moved: false }; c.setPointerCapture(e.pointerId); });
    c.addEventListener("pointermove", e => {
      if (drag && Math.abs(e.offsetX - drag.x) > 3) {
        drag.moved = true;
        const width = this.hi - this.lo;
        const lo = drag.lo - (e.offsetX - drag.x) * this.ratio / this.W * width;
        this.show(lo, lo + width);
      } else if (!drag) {
        this.hover(this.pickAt(e.offsetX, e.offsetY), this.columnAt(e.offsetX));
      }
    });
    c.addEventListener("pointerup", e => {
      const moved = drag && drag.moved;
      drag = null;
      if (moved) return;
      this.app.setMoment(this.moments[this.columnAt(e.offsetX)]);
      this.pin(this.pickAt(e.offsetX, e.offsetY), this.columnAt(e.offsetX));
    });
    c.addEventListener("pointerleave", () => { if (!drag) this.hover(-1, 0); });
    c.addEventListener("dblclick", () => this.show(0, this.extent()));
    c.addEventListener("wheel", e => {
      e.preventDefault();
      const width = this.hi - this.lo;
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        const by = (e.deltaX || e.deltaY) / 800 * width;
        this.show(this.lo + by, this.hi + by);
      } else {
        this.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(Math.abs(e.deltaY), 120) / 400), this.columnAt(e.offsetX) / this.W);
      }
    }, { passive: false });
    c.addEventListener("keydown", e => { if (this.key(e)) e.preventDefault(); });
    const moveMap = e => {
      if (e.buttons !== 1 && e.type !== "pointerdown") return;
      const at = e.offsetX / this.map.clientWidth * this.extent(), half = (this.hi - this.lo) / 2;
      this.show(at - half, at + half);
    };
    this.map.addEventListener("pointerdown", moveMap);
    this.map.addEventListener("pointermove", moveMap);
  },

  columnAt(offset) { return Math.min(Math.max(Math.round(offset * this.ratio) - this.x0, 0), this.W - 1); },

  pickAt(x, y) {
    const px = Math.round(x * this.ratio) - this.x0, py = Math.round(y * this.ratio) - this.lanes;
    return px < 0 || py < 0 || px >= this.W || py >= this.H ? -1 : this.picks[py * this.W + px];
  },

  hover(pick, column) {
    if (pick === this.hovered && pick > firstPackage) return; // the contents of a band change from column to column
    this.hovered = pick;
    this.highlight();
    this.app.details(this.describePick(pick === -1 ? this.picked : pick, pick === -1 ? this.pickedColumn : column));
  },

  pin(pick, column) {
    this.picked = pick;
    this.pickedColumn = column;
    this.hovered = -1;
    this.draw();
    this.app.details(this.describePick(pick, column));
  },

  itemOf(pick) { return { block: pick }; },

  describePick(pick, column) {
    const d = this.device;
    if (pick === undefined || pick === -1) return null;
    if (pick >= 0) return this.itemOf(pick);
    const moment = this.moments[Math.min(column || 0, this.W - 1)];
    const k = firstPackage - pick, small = this.mode === "blocks";
    return {
      title: d.data.categories[k], size: this.layers.sums[k][column], moment,
      text: `In ${count(this.layers.counts[k][column])} ${this.item}s` + (small ? ", each lower than half a pixel here. Zoom in or filter to see them." : "."),
    };
  },

  // highlight whitens the pixels of the hovered block, or else of the pinned one.
  highlight() {
    const pick = this.hovered !== undefined && this.hovered !== -1 ? this.hovered : this.picked;
    if (!this.image || pick === this.lit && this.litImage === this.image) return;
    const g = this.canvas.getContext("2d");
    const shown = new ImageData(new Uint8ClampedArray(this.image.data), this.W, this.H);
    if (pick !== undefined && pick !== -1) {
      for (let p = 0; p < this.picks.length; p++) {
        if (this.picks[p] !== pick) continue;
        for (let k = 4 * p; k < 4 * p + 3; k++) shown.data[k] += (255 - shown.data[k]) * 0.55;
      }
    }
    this.lit = pick;
    this.litImage = this.image;
    g.putImageData(shown, this.x0, this.lanes);
    this.decorateAgain(g);
  },

  decorateAgain(g) {
    g.clearRect(0, 0, this.canvas.width, this.lanes);
    g.clearRect(0, 0, this.x0, this.canvas.height);
    g.clearRect(0, this.lanes + this.H, this.canvas.width, this.canvas.height);
    this.decorate(g);
  },

  key(e) {
    const d = this.device, width = this.hi - this.lo;
    const step = Math.max(1, Math.round((this.momentAt(this.hi) - this.momentAt(this.lo)) / 200));
    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (way && e.shiftKey) { this.show(this.lo + way * width / 5, this.hi + way * width / 5); return true; }
    switch (e.key) {
      case "ArrowLeft": case "ArrowRight":
        this.goTo(Math.min(Math.max(this.app.moment + way * step, 0), d.events));
        return true;
      case "ArrowUp": case "ArrowDown": this.stepBlock(way); return true;
      case "+": case "=": this.zoom(1 / 1.5); return true;
      case "-": this.zoom(1.5); return true;
      case "0": case "Escape": this.pin(-1, 0); this.show(0, this.extent()); return true;
      case "Home": this.goTo(0); return true;
      case "End": this.goTo(d.events); return true;
      case "p": this.goTo(this.peak()); return true;
      case "Enter": if (this.hovered !== -1) this.pin(this.hovered, this.pickedColumn); return true;
    }
    return false;
  },

  // stepBlock moves the choice up or down among the blocks drawn at the cursor.
  stepBlock(way) {
    const c = this.cursorX();
    if (c === null) { this.goTo(this.app.moment); return; }
    const x = Math.min(Math.floor(c * this.W), this.W - 1), shown = [];
    for (let y = this.H - 1; y >= 0; y--) {
      const p = this.picks[y * this.W + x];
      if (p !== -1 && p !== shown[shown.length - 1]) shown.push(p);
    }
    if (!shown.length) return;
    const at = shown.indexOf(this.picked);
    this.pin(shown[at < 0 ? (way > 0 ? 0 : shown.length - 1) : Math.min(Math.max(at + way, 0), shown.length - 1)], x);
  },
});
