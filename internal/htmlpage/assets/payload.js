// readPayload returns the page's data: its header, and a function that makes an array of a
// column that the header names; see payload.go.
async function readPayload() {
  const node = document.getElementById("payload");
  const text = atob(node.textContent.trim());
  node.remove();
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < packed.length; i++) packed[i] = text.charCodeAt(i);
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(plain).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const start = (4 + length + 7) & ~7;
  return [head, c => new arrays[c.type](buffer, start + c.offset, c.length)];
}

const arrays = { u8: Uint8Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array, u64: BigUint64Array };
