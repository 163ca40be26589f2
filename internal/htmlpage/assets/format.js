// Words, numbers and elements.

function bytes(n) {
  const sign = n < 0 ? "−" : "";
  n = Math.abs(n);
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let u = 0;
  while (n >= 1024 && u < units.length - 1) { n /= 1024; u++; }
  const digits = u === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
  return sign + n.toFixed(digits) + " " + units[u];
}

function signed(n, format) { return n > 0 ? "+" + format(n) : format(n); }

function count(n) { return n < 0 ? "−" + count(-n) : n.toLocaleString("en-US"); }

function duration(us) {
  if (us < 1000) return us.toFixed(0) + " µs";
  if (us < 1e6) return (us / 1000).toPrecision(4) + " ms";
  if (us < 120e6) return (us / 1e6).toPrecision(4) + " s";
  return (us / 60e6).toFixed(1) + " min";
}

// element makes an element; attributes that are functions become properties.
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (typeof v === "function") e[k] = v;
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, v);
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

// niceSteps are the places for axis labels in [0, max], multiples of 1, 2 or 5
// times a power, of 1024 for bytes.
function niceSteps(max, wanted, binary) {
  if (!(max > 0)) return [0];
  let unit = 1;
  if (binary) while (max / unit >= 1024 * 1.5) unit *= 1024;
  const raw = max / unit / wanted, power = 10 ** Math.floor(Math.log10(raw));
  let step = 10 * power;
  for (const f of [5, 2, 1]) if (f * power >= raw) step = f * power;
  step = Math.max(step * unit, 1);
  const out = [];
  for (let v = 0; v <= max; v += step) out.push(v);
  return out;
}

function baseName(path) { return path.split(/[\\/]/).pop(); }

// shortCall is a call without the folders of its package and file.
function shortCall(l) { return `${l.name.split("/").pop()} · ${baseName(l.file)}:${l.line}`; }

// range is a range of numbers, or one.
function range(least, most, format) { return format(least) === format(most) ? format(most) : `${format(least)} to ${format(most)}`; }

// shortFile keeps the last two parts of a path.
function shortFile(path) {
  const parts = path.split(/[\\/]/);
  return parts.length > 2 ? "…/" + parts.slice(-2).join("/") : path;
}

const hues = [212, 28, 146, 356, 268, 48, 186, 318, 92, 240, 12, 166];

// colorOf gives a category's colour as [red, green, blue]; shade tells stacks of
// one category apart. Beyond the hues colours are grey.
function colorOf(rank, shade) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const light = (dark ? 0.50 : 0.58) + (shade - 0.5) * 0.20;
  const gray = rank < 0 || rank >= hues.length;
  return hsl(gray ? 220 : hues[rank], gray ? 0.08 : 0.58, light);
}

function hsl(h, s, l) {
  const a = s * Math.min(l, 1 - l);
  const f = n => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [f(0), f(8), f(4)];
}

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function rgb(c) { return `rgb(${c[0]} ${c[1]} ${c[2]})`; }
