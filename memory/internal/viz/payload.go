package viz

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// The payload is gzip of: the length of the header as a uint32, the header as
// JSON, zeros up to a multiple of 8, and the columns, each starting at a
// multiple of 8, little endian. The header names each column's type, place and
// length.

type column struct {
	Type   string `json:"type"` // the letter and bits of the page's typed array
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

type header struct {
	Strings    []string       `json:"strings"`
	Categories []string       `json:"categories"`
	Actions    []string       `json:"actions"`
	Frames     column         `json:"frames"` // name, file and line of each call
	First      column         `json:"first"`
	Forward    column         `json:"forward"`
	Category   column         `json:"category"`
	Calls      column         `json:"calls"`
	Snapshots  []snapshotPart `json:"snapshots"`
}

type snapshotPart struct {
	Name     string         `json:"name"`
	Settings map[string]any `json:"settings"`
	Devices  []devicePart   `json:"devices"`
}

type devicePart struct {
	Name     string       `json:"name"`
	Base     int64        `json:"base"`
	Segments int          `json:"segments"`
	Actions  column       `json:"actions"`
	Refs     column       `json:"refs"`
	Times    column       `json:"times"`
	Start    column       `json:"start"`
	End      column       `json:"end"`
	Size     column       `json:"size"`
	Region   column       `json:"region"`
	Offset   column       `json:"offset"`
	Stack    column       `json:"stack"`
	Freed    column       `json:"freed"`
	Meta     column       `json:"meta"`
	Address  column       `json:"address"`
	Regions  []regionPart `json:"regions"`
	Notes    []note       `json:"notes"`
	Marks    []mark       `json:"marks"`
}

type regionPart struct {
	Address string   `json:"address"` // hexadecimal: JSON's numbers are too short
	Size    int64    `json:"size"`
	Start   uint32   `json:"start"`
	End     uint32   `json:"end"`
	Stack   uint32   `json:"stack"`
	Kind    string   `json:"kind"`
	Stream  string   `json:"stream"`
	Pool    [2]int64 `json:"pool"`
}

// columns collects what follows the header.
type columns struct{ blob []byte }

func add[T uint8 | uint32 | int32 | uint64 | float64](c *columns, name string, v []T) column {
	c.blob = pad(c.blob)
	at := len(c.blob)
	var err error
	if c.blob, err = binary.Append(c.blob, binary.LittleEndian, v); err != nil {
		panic(err) // only for types without a size
	}
	return column{name, at, len(v)}
}

func pad(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func writePayload(w io.Writer, m *model) error {
	var c columns
	flat := make([]uint32, 0, 3*len(m.frames))
	for _, f := range m.frames {
		flat = append(flat, f.name, f.file, f.line)
	}
	h := header{
		Strings: m.strings, Categories: m.categories, Actions: actions,
		Frames: add(&c, "u32", flat), First: add(&c, "u32", m.first), Forward: add(&c, "u32", m.forward),
		Category: add(&c, "u32", m.category), Calls: add(&c, "u32", m.calls),
	}
	for _, s := range m.snapshots {
		part := snapshotPart{Name: s.name, Settings: s.settings, Devices: []devicePart{}}
		for _, d := range s.devices {
			part.Devices = append(part.Devices, d.part(&c))
		}
		h.Snapshots = append(h.Snapshots, part)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("viz: %w", err)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	for _, b := range [][]byte{pad(append(head, text...)), c.blob} {
		if _, err := z.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}

func (d *device) part(c *columns) devicePart {
	b := &d.blocks
	p := devicePart{
		Name: d.name, Base: d.base, Segments: d.segments,
		Actions: add(c, "u8", d.actions), Refs: add(c, "u32", d.refs), Times: add(c, "f64", d.times),
		Start: add(c, "u32", b.start), End: add(c, "u32", b.end), Size: add(c, "f64", b.size),
		Region: add(c, "i32", b.region), Offset: add(c, "f64", b.offset),
		Stack: add(c, "u32", b.stack), Freed: add(c, "u32", b.freed), Meta: add(c, "u32", b.meta),
		Address: add(c, "u64", b.addr),
		Regions: []regionPart{}, Notes: d.notes, Marks: d.marks,
	}
	for _, r := range d.regions {
		p.Regions = append(p.Regions, regionPart{
			Address: fmt.Sprintf("%#x", r.addr), Size: r.size, Start: r.start, End: r.end, Stack: r.stack,
			Kind: r.kind, Stream: fmt.Sprint(r.stream), Pool: r.pool,
		})
	}
	return p
}
