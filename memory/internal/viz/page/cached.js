// The timeline of what the allocator has from the system: segments, stacked like
// blocks. What lies between it and the timeline of blocks is cached.

class Cached extends Timeline {
  constructor(app) { super(app, "segment", "Timeline of bytes reserved."); }

  setDevice(device, mask) {
    if (this.of !== device) this.segments = segmentsOf(device);
    this.of = device;
    super.setDevice(this.segments, mask);
  }

  itemOf(pick) { return { region: this.device.order[pick] }; }
}

// segmentsOf is a device whose blocks are its segments.
function segmentsOf(device) {
  const d = Object.create(device), regions = device.regions;
  d.order = [...regions.keys()].sort((a, b) => regions[a].start - regions[b].start || a - b);
  d.blocks = d.order.length;
  for (const [k, array] of [["start", Uint32Array], ["end", Uint32Array], ["size", Float64Array], ["stack", Uint32Array]]) {
    d[k] = array.from(d.order, r => regions[r][k]);
  }
  d.total = d.curve(null);
  d.peak = d.highest();
  return d;
}
