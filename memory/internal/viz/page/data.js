// The snapshot: columns of numbers, see payload.go.

const none = 0xffffffff;
const ownCall = /^github\.com\/gotorch\/gotorch\/(?!examples\/)/; // of the library itself

class Data {
  constructor(head, column) {
    for (const k of ["frames", "first", "forward", "category", "calls"]) this[k] = column(head[k]);
    this.strings = head.strings;
    this.categories = head.categories;
    this.actions = head.actions;
    this.snapshots = head.snapshots.map(s => ({
      name: s.name, settings: s.settings || {}, resident: s.resident || [],
      devices: s.devices.map(d => new Device(this, d, column)),
    }));
    this.rank = this.rankCategories();
  }

  // The categories that hold the most bytes at the peaks get colors.
  rankCategories() {
    const held = new Float64Array(this.categories.length);
    for (const s of this.snapshots) for (const d of s.devices) {
      d.eachHeld(d.peak, i => { held[this.category[d.stack[i]]] += d.size[i]; });
      d.eachHeld(d.events, i => { held[this.category[d.stack[i]]] += d.size[i]; });
    }
    const order = [...held.keys()].sort((a, b) => held[b] - held[a]);
    const rank = new Int32Array(held.length);
    order.forEach((c, k) => { rank[c] = this.categories[c] === "stack not recorded" ? -1 : k; });
    return rank;
  }

  // lines returns the calls of a stack, innermost first. The forward calls follow after a
  // gap.
  lines(stack) {
    const end = stack + 1 < this.first.length ? this.first[stack + 1] : this.calls.length;
    const out = [];
    for (let i = this.first[stack]; i < end; i++) {
      const f = 3 * this.calls[i];
      out.push({
        name: this.strings[this.frames[f]], file: this.strings[this.frames[f + 1]], line: this.frames[f + 2],
        forward: i >= this.forward[stack],
      });
    }
    return out;
  }

  // site returns the first call of the category's own package and the first call of the
  // program beyond it, if any. It is null without a stack.
  site(stack) {
    const lines = this.lines(stack);
    if (!lines.length) return null;
    const own = this.categories[this.category[stack]].replace(/ \(backward\)$/, "");
    const file = l => baseName(l.file);
    const inside = l => file(l).endsWith(".py") ? l.file.includes("/" + own + "/") || file(l) === own + ".py" : l.name.startsWith(own + ".");
    const call = lines[Math.max(lines.findIndex(inside), 0)];
    const beyond = lines.slice(lines.indexOf(call) + 1).filter(l => !inside(l) && l.forward === call.forward && !l.name.startsWith("runtime."));
    const caller = beyond.find(l => !ownCall.test(l.name)) ?? (ownCall.test(call.name) ? beyond[0] : null);
    return { call, caller };
  }

  // title describes a stack in one line.
  title(stack) {
    const at = this.site(stack);
    if (!at) return "stack not recorded";
    return shortCall(at.call) + (at.caller ? " ← " + shortCall(at.caller) : "") + (at.call.forward ? " (backward)" : "");
  }

  // titles returns the titles of stacks. If titles are equal, it adds the calls that
  // differ.
  titles(stacks) {
    const out = new Map(), alike = new Map();
    for (const s of stacks) {
      const t = this.title(s);
      out.set(s, t);
      if (!alike.has(t)) alike.set(t, []);
      alike.get(t).push({ stack: s, lines: this.lines(s) });
    }
    const key = l => l ? JSON.stringify(l) : "";
    const tell = (group, depth) => {
      while (group.every(g => key(g.lines[depth]) === key(group[0].lines[depth]))) depth++; // no two stacks are equal
      const parts = new Map();
      for (const g of group) {
        const k = key(g.lines[depth]);
        if (!parts.has(k)) parts.set(k, []);
        parts.get(k).push(g);
      }
      const calls = [...parts.values()].map(p => p[0].lines[depth]).filter(l => l);
      const short = new Set(calls.map(shortCall)).size === calls.length;
      for (const p of parts.values()) {
        const l = p[0].lines[depth];
        if (!l) continue; // this stack ends here, others continue
        const call = short ? shortCall(l) : `${l.name} · ${l.file}:${l.line}`;
        for (const g of p) out.set(g.stack, `${out.get(g.stack)} … ${call}`);
        if (p.length > 1) tell(p, depth + 1);
      }
    };
    for (const group of alike.values()) if (group.length > 1) tell(group, 0);
    return out;
  }

  // matching marks the stacks that contain a text; null means all.
  matching(text) {
    text = text.trim().toLowerCase();
    if (!text) return null;
    const hit = this.strings.map(s => s.toLowerCase().includes(text));
    const own = this.categories.map(s => s.toLowerCase().includes(text));
    const mask = new Uint8Array(this.first.length);
    for (let s = 0; s < mask.length; s++) {
      const end = s + 1 < this.first.length ? this.first[s + 1] : this.calls.length;
      mask[s] = own[this.category[s]] ? 1 : 0;
      for (let i = this.first[s]; i < end && !mask[s]; i++) {
        const f = 3 * this.calls[i];
        if (hit[this.frames[f]] || hit[this.frames[f + 1]]) mask[s] = 1;
      }
    }
    return mask;
  }
}

// Device is one device of a snapshot. Moment k is after the first k events.
class Device {
  constructor(data, part, column) {
    this.data = data;
    this.name = part.name;
    this.base = part.base;
    this.segments = part.segments;
    for (const k of ["actions", "refs", "times", "start", "end", "size", "region", "offset", "stack", "freed", "meta", "address"]) {
      this[k] = column(part[k]);
    }
    this.regions = part.regions;
    this.notes = part.notes || [];
    this.marks = part.marks || [];
    this.events = this.actions.length;
    this.blocks = this.start.length;
    const oom = data.actions.indexOf("oom");
    this.failures = [];
    for (let k = this.actions.indexOf(oom); k >= 0; k = this.actions.indexOf(oom, k + 1)) this.failures.push(k);
    this.total = this.curve(null);
    this.peak = this.highest();
  }

  // highest returns the first moment at which most bytes are held.
  highest() {
    let peak = 0;
    for (let k = 1; k <= this.events; k++) if (this.total[k] > this.total[peak]) peak = k;
    return peak;
  }

  // curve returns the bytes held at each moment by the stacks of a mask.
  curve(mask) {
    const c = new Float64Array(this.events + 1);
    for (let i = 0; i < this.blocks; i++) {
      if (mask && !mask[this.stack[i]]) continue;
      c[this.start[i]] += this.size[i];
      if (this.end[i] <= this.events) c[this.end[i]] -= this.size[i];
    }
    for (let k = 1; k < c.length; k++) c[k] += c[k - 1];
    return c;
  }

  eachHeld(moment, visit) {
    for (let i = 0; i < this.blocks && this.start[i] <= moment; i++) if (this.end[i] > moment) visit(i);
  }

  reserved(moment) {
    let sum = 0;
    for (const r of this.regions) if (r.start <= moment && r.end > moment) sum += r.size;
    return sum;
  }

  // timeOf returns the time of a moment in microseconds since the first event.
  timeOf(moment) {
    if (this.events === 0) return 0;
    return this.times[Math.min(Math.max(Math.ceil(moment) - 1, 0), this.events - 1)];
  }

  // momentOf returns the last moment not after a time.
  momentOf(us) {
    let lo = 0, hi = this.events;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.times[mid] <= us) lo = mid + 1; else hi = mid;
    }
    return lo;
  }

  // when formats the time of an event.
  when(moment) { return moment ? duration(this.timeOf(moment)) : "before the trace"; }

  span() { return this.events ? this.times[this.events - 1] : 0; }

  // describe describes an event.
  describe(event) {
    const action = this.data.actions[this.actions[event]] || "event";
    const ref = this.refs[event];
    if (action === "oom") {
      const n = this.notes[ref];
      return { action: "out of memory", text: `${bytes(n.size)} asked for, ${bytes(n.free)} free. ${n.text}`, stack: n.stack };
    }
    if (ref === none) return { action: action.replace("_", " "), text: "", stack: null };
    if (action.startsWith("segment")) {
      const r = this.regions[ref];
      return { action: action.replace("_", " "), text: `${bytes(r.size)} at ${r.address}`, stack: r.stack, region: ref };
    }
    const free = action.startsWith("free") && this.freed[ref] !== none;
    return {
      action: action.replace("_", " "), text: `${bytes(this.size[ref])} at 0x${this.address[ref].toString(16)}`,
      stack: free ? this.freed[ref] : this.stack[ref], block: ref,
    };
  }
}
