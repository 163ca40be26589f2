// The resident memory of the process: a bar of its parts, and a table.

class Resident {
  constructor(app) { this.app = app; this.node = element("section", {}); }

  setDevice() { this.draw(); }

  draw() {
    const parts = this.app.data.snapshots[this.app.snapshot].resident, all = parts.reduce((a, p) => a + p.bytes, 0);
    if (!parts.length) {
      this.node.replaceChildren(element("p", { class: "hint" }, "The snapshot does not say where the process's memory was."));
      return;
    }
    const rows = parts.map((p, k) => ({ ...p, color: rgb(colorOf(k, 0.5)) }));
    const share = p => `${(100 * p.bytes / Math.max(all, 1)).toFixed(1)} %`;
    const bar = element("div", { class: "parts", role: "img", "aria-label": "Parts of the resident memory, in the order of the table" });
    const swatch = p => { const s = element("span", { class: "swatch", "aria-hidden": "true" }); s.style.background = p.color; return s; };
    for (const p of [...rows].sort((a, b) => b.bytes - a.bytes)) {
      const e = element("span", { title: `${p.part}: ${bytes(p.bytes)}, ${share(p)}` });
      e.style.width = 100 * p.bytes / Math.max(all, 1) + "%";
      e.style.background = p.color;
      bar.append(e);
    }
    this.node.replaceChildren(bar, table(`${bytes(all)} of resident memory when the snapshot was taken`, [
      { name: "Part", value: p => p.part, show: p => element("span", {}, swatch(p), p.part) },
      { name: "Bytes", numeric: true, first: true, value: p => p.bytes, show: p => bytes(p.bytes) },
      { name: "Share", numeric: true, value: p => p.bytes, show: share },
      { name: "Detail", value: p => p.detail || "", show: p => p.detail || "" },
    ], rows));
  }
}
