// The data of the profile: columns of numbers, see html.go. Times are in microseconds.

const kinds = ["operator", "backward node", "region", "module", "device"];

class Data {
  constructor(head, column) {
    Object.assign(this, { strings: head.strings, lanes: head.lanes, stacks: head.stacks, span: head.span });
    for (const k of ["start", "duration", "name", "parent", "lane", "stack", "kind", "bytes", "times", "allocated"]) this[k] = column(head[k]);
    const n = this.count = this.start.length;
    // self is the time of each event without the events that it calls, depth its level in its lane.
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

  // lines returns the Go call stack of an event, innermost first.
  lines(i) { return this.stacks[this.stack[i]].map(s => this.strings[s]); }

  // matcher returns a function that says whether an event has word in its name or its call
  // stack. It returns null if word is empty.
  matcher(word) {
    word = word.trim().toLowerCase();
    if (!word) return null;
    const has = this.strings.map(s => s.toLowerCase().includes(word));
    const stack = this.stacks.map(s => s.some(x => has[x]));
    return i => has[this.name[i]] || stack[this.stack[i]];
  }

  // color returns the color of an event's name. Operators, backward nodes, Go calls and
  // other events have different ranges of colors.
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
