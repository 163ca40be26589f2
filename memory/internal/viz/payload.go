package viz

import (
	"fmt"
	"io"

	"github.com/gotorch/gotorch/internal/htmlpage"
	"github.com/gotorch/gotorch/memory"
)

type column = htmlpage.Column

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
	Name     string                `json:"name"`
	Settings map[string]any        `json:"settings"`
	Resident []memory.ResidentPart `json:"resident,omitempty"`
	Devices  []devicePart          `json:"devices"`
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
	// A hexadecimal string, because JavaScript rounds JSON numbers above 2^53.
	Address string   `json:"address"`
	Size    int64    `json:"size"`
	Start   uint32   `json:"start"`
	End     uint32   `json:"end"`
	Stack   uint32   `json:"stack"`
	Kind    string   `json:"kind"`
	Stream  string   `json:"stream"`
	Pool    [2]int64 `json:"pool"`
}

func writePayload(w io.Writer, m *model) error {
	var c htmlpage.Columns
	flat := make([]uint32, 0, 3*len(m.frames))
	for _, f := range m.frames {
		flat = append(flat, f.name, f.file, f.line)
	}
	h := header{
		Strings: m.strings, Categories: m.categories, Actions: actions,
		Frames: htmlpage.Add(&c, "u32", flat), First: htmlpage.Add(&c, "u32", m.first),
		Forward:  htmlpage.Add(&c, "u32", m.forward),
		Category: htmlpage.Add(&c, "u32", m.category), Calls: htmlpage.Add(&c, "u32", m.calls),
	}
	for _, s := range m.snapshots {
		part := snapshotPart{Name: s.name, Settings: s.settings, Resident: s.resident, Devices: []devicePart{}}
		for _, d := range s.devices {
			part.Devices = append(part.Devices, d.part(&c))
		}
		h.Snapshots = append(h.Snapshots, part)
	}
	return c.Write(w, h)
}

func (d *device) part(c *htmlpage.Columns) devicePart {
	b := &d.blocks
	p := devicePart{
		Name: d.name, Base: d.base, Segments: d.segments,
		Actions: htmlpage.Add(c, "u8", d.actions), Refs: htmlpage.Add(c, "u32", d.refs),
		Times: htmlpage.Add(c, "f64", d.times),
		Start: htmlpage.Add(c, "u32", b.start), End: htmlpage.Add(c, "u32", b.end),
		Size:   htmlpage.Add(c, "f64", b.size),
		Region: htmlpage.Add(c, "i32", b.region), Offset: htmlpage.Add(c, "f64", b.offset),
		Stack: htmlpage.Add(c, "u32", b.stack), Freed: htmlpage.Add(c, "u32", b.freed),
		Meta:    htmlpage.Add(c, "u32", b.meta),
		Address: htmlpage.Add(c, "u64", b.addr),
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
