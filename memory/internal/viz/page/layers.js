// The layers of each column of the timeline, and its pixels.

const firstPackage = -2; // the number of the first band; the next bands have lower numbers

function firstAtLeast(list, v) {
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (list[mid] < v) lo = mid + 1; else hi = mid;
  }
  return lo;
}

// stackLayers divides the blocks in view into those drawn individually and those summed
// by package. It sums the blocks lower than half a pixel, or all blocks.
function stackLayers(t) {
  const d = t.device, W = t.W, scale = t.H / t.top;
  const last = t.moments[W - 1], first = t.moments[0];
  const sums = d.data.categories.map(() => null), counts = sums.slice();
  const single = { id: [], from: [], to: [] };
  for (let i = 0; i < d.blocks && d.start[i] <= last; i++) {
    if (d.end[i] <= first || (t.mask && !t.mask[d.stack[i]])) continue;
    const from = firstAtLeast(t.moments, d.start[i]), to = d.end[i] > last ? W : firstAtLeast(t.moments, d.end[i]);
    if (from >= to) continue;
    if (t.mode === "blocks" && d.size[i] * scale >= 0.5) {
      single.id.push(i); single.from.push(from); single.to.push(to);
      continue;
    }
    const k = d.data.category[d.stack[i]];
    if (!sums[k]) { sums[k] = new Float64Array(W + 1); counts[k] = new Int32Array(W + 1); }
    sums[k][from] += d.size[i];
    sums[k][to] -= d.size[i];
    counts[k][from]++;
    counts[k][to]--;
  }
  for (const s of [...sums, ...counts]) if (s) for (let x = 1; x <= W; x++) s[x] += s[x - 1];
  return { sums, counts, single };
}

function pixel(c) { return (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0; }

function darker(c) { return c.map(v => Math.round(v * 0.72)); }

// blockColors returns the colors of a block's inside and edge.
function blockColors(data) {
  const inside = new Map(), edge = new Map();
  return stack => {
    if (!inside.has(stack)) {
      const c = colorOf(data.rank[data.category[stack]], (stack * 0.618034) % 1);
      inside.set(stack, pixel(c));
      edge.set(stack, pixel(darker(c)));
    }
    return [inside.get(stack), edge.get(stack)];
  };
}

function paintLayers(t) {
  const { W, H, picks } = t, d = t.device, data = d.data, scale = H / t.top;
  const pixels = new Uint32Array(t.image.data.buffer);
  const fill = (x, low, high, color, edge, pick) => {
    const a = Math.round(low * scale), b = Math.min(Math.round(high * scale), H);
    for (let y = a; y < b; y++) {
      const p = (H - 1 - y) * W + x;
      pixels[p] = y === b - 1 && b - a >= 4 ? edge : color;
      picks[p] = pick;
    }
    return b - a;
  };
  const bands = [];
  t.layers.sums.forEach((sum, k) => {
    if (!sum) return;
    const c = colorOf(data.rank[k], 0.5);
    bands.push({ sum, order: data.rank[k], pick: firstPackage - k, color: pixel(c), edge: pixel(darker(c)) });
  });
  bands.sort((a, b) => a.order - b.order);
  const { id, from, to } = t.layers.single;
  const colors = blockColors(data);
  let live = [], next = 0;
  for (let x = 0; x < W; x++) {
    let base = 0;
    for (const b of bands) {
      fill(x, base, base + b.sum[x], b.color, b.edge, b.pick);
      base += b.sum[x];
    }
    let kept = 0;
    for (let k = 0; k < live.length; k++) if (to[live[k]] > x) live[kept++] = live[k];
    live.length = kept;
    while (next < id.length && from[next] <= x) live.push(next++);
    for (let k = 0; k < live.length; k++) {
      const b = id[live[k]], size = d.size[b], [inside, edge] = colors(d.stack[b]);
      const wide = to[live[k]] - from[live[k]] > 4;
      fill(x, base, base + size, wide && from[live[k]] === x && x > 0 && size * scale >= 4 ? edge : inside, edge, b);
      base += size;
    }
  }
}
