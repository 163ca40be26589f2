// The settings of the allocators, one per row.

class Settings {
  constructor(app) { this.app = app; this.node = element("section", {}); }

  setDevice() { this.draw(); }

  draw() {
    const snapshots = this.app.data.snapshots, rows = new Map();
    const collect = (settings, prefix, side) => {
      for (const [k, v] of Object.entries(settings)) {
        const name = prefix + k;
        if (v !== null && typeof v === "object" && !Array.isArray(v)) { collect(v, name + ".", side); continue; }
        if (!rows.has(name)) rows.set(name, { name, values: snapshots.map(() => "") });
        rows.get(name).values[side] = typeof v === "string" ? v || "(empty)" : JSON.stringify(v);
      }
    };
    snapshots.forEach((s, side) => collect(s.settings, "", side));
    if (!rows.size) {
      this.node.replaceChildren(element("p", { class: "hint" }, "The snapshot does not say what the allocators' settings were."));
      return;
    }
    const other = r => r.values.some(v => v !== r.values[0]);
    this.node.replaceChildren(table("Settings of the allocators", [
      { name: "Setting", first: true, upwards: true, value: r => r.name, show: r => element("code", {}, r.name) },
      ...snapshots.map((s, side) => ({
        name: snapshots.length > 1 ? s.name : "Value", value: r => r.values[side], show: r => r.values[side],
        style: r => other(r) ? "changed" : "",
      })),
    ], [...rows.values()]));
  }
}
