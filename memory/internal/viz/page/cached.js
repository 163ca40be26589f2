// The timeline of the segments that the allocator obtained from the system, stacked like
// blocks. The space above the timeline of blocks is cached memory.

class Cached extends Timeline {
  constructor(app) { super(app, "segment", "Timeline of bytes reserved."); }

  setDevice(device, mask) {
    if (this.of !== device) this.segments = segmentsOf(device);
    this.of = device;
    super.setDevice(this.segments, mask);
  }

  itemOf(pick) { return { region: this.device.order[pick] }; }
}

// segmentsOf returns a device whose blocks are the segments of another device.
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
