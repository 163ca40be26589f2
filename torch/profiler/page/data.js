// The profile: columns of numbers, see html.go. Times are in microseconds.

const kinds = ["operator", "backward node", "region", "module", "device"];

class Data {
  constructor(head, column) {
    Object.assign(this, { strings: head.strings, lanes: head.lanes, stacks: head.stacks, span: head.span });
    for (const k of ["start", "duration", "name", "parent", "lane", "stack", "kind", "bytes", "times", "allocated"]) this[k] = column(head[k]);
    const n = this.count = this.start.length;
    // What an event took itself, and how deep it stands in its lane.
    this.self = Float64Array.from(this.duration);
    this.depth = new Uint32Array(n);
    this.depths = new Uint32Array(this.lanes.length).fill(1);
    this.unders = Array.from({ length: this.lanes.length }, () => []);
    for (let i = 0; i < n; i++) {
      const p = this.parent[i];
      if (p >= 0) { this.self[p] -= this.duration[i]; this.depth[i] = this.depth[p] + 1; }
      this.depths[this.lane[i]] = Math.max(this.depths[this.lane[i]], this.depth[i] + 1);
      this.unders[this.lane[i]].push(i);
    }
    this.rank = new Map();
  }

  text(i) { return this.strings[this.name[i]]; }

  // lines are the calls of Go that led to an event, innermost first.
  lines(i) { return this.stacks[this.stack[i]].map(s => this.strings[s]); }

  // matches says of a filter's word whether an event has it in its name or its lines.
  matcher(word) {
    word = word.trim().toLowerCase();
    if (!word) return null;
    const has = this.strings.map(s => s.toLowerCase().includes(word));
    const stack = this.stacks.map(s => s.some(x => has[x]));
    return i => has[this.name[i]] || stack[this.stack[i]];
  }

  // color gives a name its colour: operators by their family, others by what they are.
  color(name, dimmed) {
    let c = this.rank.get(name);
    if (!c) {
      let h = 0;
      for (const ch of name) h = (h * 31 + ch.codePointAt(0)) >>> 0;
      const rank = name.startsWith("aten::") ? [0, 6, 4][h % 3] : name.endsWith("Backward0") || name.startsWith("autograd::") || name.startsWith("torch::autograd") ? 1
        : name.includes("(") ? 2 : 5;
      c = colorOf(rank, (h >>> 8) % 100 / 100);
      this.rank.set(name, c);
    }
    return dimmed ? `rgb(${c[0]} ${c[1]} ${c[2]} / 0.18)` : rgb(c);
  }
}
