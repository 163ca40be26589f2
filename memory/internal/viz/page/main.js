// The page: the chosen snapshot, device and view, and the details beside it.

class App {
  constructor(data) {
    this.data = data;
    this.snapshot = data.snapshots.length - 1;
    this.deviceNumber = 0;
    this.moment = 0;
    this.mask = null;
    this.detailsNode = element("aside", { id: "details", "aria-live": "polite", "aria-label": "Details" });
    this.views = [["timeline", "Timeline", new Timeline(this)], ["reserved", "Reserved", new Cached(this)], ["segments", "Segments", new Segments(this)],
      ["packages", "Packages", new Packages(this)], ["stacks", "Stacks", new Stacks(this)]];
    if (data.snapshots.length > 1) this.views.push(["difference", "Difference", new Difference(this)]);
    if (data.snapshots.some(s => s.resident.length)) this.views.push(["process", "Process", new Resident(this)]);
    this.views.push(["settings", "Settings", new Settings(this)]);
    const devices = this.devices();
    const busiest = devices.map((d, k) => [d.blocks + d.regions.length, k]).sort((x, y) => y[0] - x[0] || x[1] - y[1])[0];
    if (busiest) this.deviceNumber = busiest[1];
    this.controls();
    this.tabs();
    document.getElementById("views").replaceChildren(this.panel, this.detailsNode);
    this.choose();
    this.open(location.hash.slice(1) || (data.snapshots.length > 1 ? "difference" : "timeline"));
  }

  devices() { return this.data.snapshots[this.snapshot].devices; }

  controls() {
    const bind = (id, on) => { const e = document.getElementById(id); e.addEventListener("input", () => on(e.value)); return e; };
    this.pickSnapshot = bind("snapshot", v => { this.snapshot = +v; this.deviceNumber = Math.min(this.deviceNumber, this.devices().length - 1); this.choose(); });
    this.pickDevice = bind("device", v => { this.deviceNumber = +v; this.choose(); });
    bind("filter", v => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => { this.mask = this.data.matching(v); this.spread(); }, 120);
    });
    this.data.snapshots.forEach((s, k) => this.pickSnapshot.append(element("option", { value: k, selected: k === this.snapshot }, s.name)));
    document.getElementById("pick-snapshot").hidden = this.data.snapshots.length < 2;
    addEventListener("resize", () => this.current && this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.spread());
  }

  tabs() {
    this.panel = element("div", { role: "tabpanel", id: "panel" });
    const list = document.getElementById("tabs");
    for (const [id, name] of this.views) {
      list.append(element("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel", onclick: () => this.open(id) }, name));
    }
    list.addEventListener("keydown", e => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!way) return;
      const n = this.views.length, at = this.views.findIndex(v => v[2] === this.current);
      this.open(this.views[(at + way + n) % n][0]);
      list.querySelector("[aria-selected=true]").focus();
    });
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
    document.getElementById("views").classList.toggle("wide", !["timeline", "reserved", "segments"].includes(view[0]));
    if (location.protocol !== "about:") history.replaceState(null, "", "#" + view[0]); // a frame has no address
    this.details(null);
    this.spread();
  }

  // choose applies the choice of a snapshot or device.
  choose() {
    this.device = this.devices()[this.deviceNumber];
    this.pickDevice.replaceChildren(...this.devices().map((d, k) => element("option", { value: k, selected: k === this.deviceNumber }, d.name)));
    document.getElementById("pick-device").hidden = this.devices().length < 2;
    if (!this.device) { this.panel.replaceChildren(element("p", {}, "The snapshot has no device.")); return; }
    this.moment = this.device.peak;
    this.figures();
    this.details(null);
    if (this.current) this.spread();
  }

  figures() {
    const d = this.device, pairs = [
      ["Peak", bytes(d.total[d.peak])], ["At the end", bytes(d.total[d.events])], ["Reserved at the end", bytes(d.reserved(d.events))],
      ["Events", count(d.events)], ["Blocks", count(d.blocks)], ["Segments", count(d.segments)], ["Recorded", duration(d.span())],
    ];
    if (d.failures.length) pairs.push(["Out of memory", count(d.failures.length) + (d.failures.length > 1 ? " times" : " time")]);
    document.getElementById("figures").replaceChildren(...pairs.map(([k, v]) =>
      element("div", { id: "figure-" + k.toLowerCase().replaceAll(" ", "-") }, element("dt", {}, k), element("dd", {}, v))));
  }

  spread() {
    if (!this.device) return;
    this.current.setDevice(this.device, this.mask);
    if (this.current instanceof Timeline) this.legend();
  }

  redraw() { this.current.draw(); }

  setMoment(moment) {
    this.moment = moment;
    if (this.current) this.current.later ? this.current.later() : this.current.draw();
  }

  // legend lists the packages by the bytes they hold at the peak. A click filters.
  legend() {
    const d = this.current.device, of = s => this.data.category[s], node = document.getElementById("legend");
    const held = [...sum(d, d.peak, null, of).values()].sort((a, b) => b.bytes - a.bytes).slice(0, 12);
    node.replaceChildren(...held.map(h => element("button", { type: "button", class: "plain", title: "Filter by this package", onclick: () => {
      const f = document.getElementById("filter"), name = this.data.categories[h.key];
      f.value = f.value === name ? "" : name;
      f.dispatchEvent(new Event("input"));
    } }, named(this.data, h.key), " ", element("span", { class: "hint" }, bytes(h.bytes)))));
  }

  // details shows a block, a region or a sum, and nothing for null.
  details(what) {
    const node = this.detailsNode, d = this.device;
    if (!what) {
      node.replaceChildren(element("p", { class: "hint" }, `Point at a ${this.current && this.current.item || "block"} to see the stack that ${this.current && this.current.item === "segment" ? "needed" : "allocated"} it. A click keeps it.`));
      return;
    }
    const out = [];
    const facts = pairs => out.push(element("dl", {}, ...pairs.filter(p => p[1] !== "").flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])));
    if (what.block !== undefined) {
      const i = what.block, ended = d.end[i] <= d.events;
      out.push(element("h2", {}, bytes(d.size[i])));
      facts([
        ["Package", named(this.data, this.data.category[d.stack[i]])],
        ["Size", count(d.size[i]) + " bytes"], ["Address", "0x" + d.address[i].toString(16)],
        ["Allocated", d.start[i] ? `event ${count(d.start[i])}, ${duration(d.timeOf(d.start[i]))}` : "before the trace"],
        ["Freed", ended ? `event ${count(d.end[i])}, ${duration(d.timeOf(d.end[i]))}` : "not in the trace"],
        ["Held for", d.start[i] && ended ? duration(d.timeOf(d.end[i]) - d.timeOf(d.start[i])) : ""],
        ["Note", d.meta[i] === none ? "" : this.data.strings[d.meta[i]]],
      ]);
      out.push(element("h3", {}, "Allocated by"), stackList(this.data, d.stack[i]));
      if (d.freed[i] !== none && d.freed[i] !== d.stack[i]) out.push(element("h3", {}, "Freed by"), stackList(this.data, d.freed[i]));
    } else if (what.region !== undefined) {
      const r = d.regions[what.region];
      out.push(element("h2", {}, `Segment of ${bytes(r.size)}`));
      const ended = r.end <= d.events;
      facts([["Size", count(r.size) + " bytes"], ["Address", r.address],
        ["Obtained", r.start ? `event ${count(r.start)}, ${d.when(r.start)}` : "before the trace"],
        ["Returned", ended ? `event ${count(r.end)}, ${d.when(r.end)}` : "not in the trace"], ["Kind", r.kind], ["Stream", r.stream], ["Pool", r.pool.join(", ")]]);
      out.push(element("h3", {}, "Needed by"), stackList(this.data, r.stack));
    } else {
      out.push(element("h2", {}, what.title));
      if (what.size !== undefined) out.push(element("p", {}, `${bytes(what.size)} after ${count(what.moment)} events.`));
      if (what.text) out.push(element("p", { class: "hint" }, what.text));
      if (what.stack !== undefined) out.push(stackList(this.data, what.stack));
    }
    node.replaceChildren(...out);
  }
}

// Start after the first paint, so that the page shows that it is loading.
requestAnimationFrame(() => setTimeout(async () => {
  const start = performance.now();
  try {
    window.viz = new App(new Data(...await readPayload()));
    document.body.dataset.ready = (performance.now() - start).toFixed(0);
  } catch (e) {
    document.getElementById("views").replaceChildren(element("p", { role: "alert" }, "The snapshot cannot be shown: " + e.message));
    throw e;
  }
}));
