package profiler

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/internal/htmlpage"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/data.js
var dataJS string

//go:embed page/flame.js
var flameJS string

//go:embed page/timeline.js
var timelineJS string

//go:embed page/main.js
var mainJS string

// WriteHTML writes the last cycle as a self-contained HTML page. The page has a flame
// graph by Go line and by operator, a timeline of all goroutines and threads with the
// allocated memory, and a table. The title says whether the recording was truncated; see
// [Profile.Truncated]. WriteHTML returns the error of w, or a *torch.Error of kind ErrNil
// for a nil w. It panics as Events does.
func (p *Profile) WriteHTML(w io.Writer) error {
	p.results("WriteHTML")
	if w == nil {
		return nilWriter("WriteHTML")
	}
	title := filepath.Base(os.Args[0])
	if notice := p.built.notice(); notice != "" {
		title += ", " + notice
	}
	err := htmlpage.Write(w, pageHTML, title, []string{dataJS, flameJS, timelineJS, mainJS},
		func(w io.Writer) error { return p.built.page(w) })
	if err != nil {
		return fmt.Errorf("profiler: write the page: %w", err)
	}
	return nil
}

// ExportHTML writes the page of WriteHTML to a file, compressed if the name ends in .gz.
// An existing file is replaced atomically. ExportHTML panics as Events does.
func (p *Profile) ExportHTML(path string) error {
	p.results("ExportHTML")
	return p.export("ExportHTML", path, p.WriteHTML)
}

// pageData is the header of the page's data; times are in microseconds.
type pageData struct {
	Strings   []string        `json:"strings"`
	Lanes     []string        `json:"lanes"`
	Stacks    [][]int         `json:"stacks"` // indices of Strings; the first stack is the unknown one
	Span      float64         `json:"span"`
	Start     htmlpage.Column `json:"start"`
	Duration  htmlpage.Column `json:"duration"`
	Name      htmlpage.Column `json:"name"`
	Parent    htmlpage.Column `json:"parent"` // the index of the parent, or -1
	Lane      htmlpage.Column `json:"lane"`
	Stack     htmlpage.Column `json:"stack"`
	Kind      htmlpage.Column `json:"kind"`
	Bytes     htmlpage.Column `json:"bytes"`
	Times     htmlpage.Column `json:"times"`
	Allocated htmlpage.Column `json:"allocated"`
}

// These are the kinds of events, with the same numbers as in the page's JavaScript.
const (
	kindOperator = iota
	kindBackward
	kindRegion
	kindModule
	kindDevice
)

func (b *builder) page(w io.Writer) error {
	h := pageData{
		Span: micros(time.Duration(b.end - b.begin)), Strings: []string{}, Lanes: []string{},
		Stacks: [][]int{{}},
	}
	known := map[string]int{}
	str := func(s string) int {
		i, ok := known[s]
		if !ok {
			i = len(h.Strings)
			known[s] = i
			h.Strings = append(h.Strings, s)
		}
		return i
	}
	stacks := map[string]int{"": 0}
	for _, l := range b.lanes {
		h.Lanes = append(h.Lanes, l.String())
	}
	number := make(map[*Event]int32, len(b.events))
	var start, duration, bytes []float64
	var name, lane, stack []uint32
	var parent []int32
	var kind []uint8
	add := func(e *Event, k uint8) {
		number[e] = int32(len(start))
		up := int32(-1)
		if e.CPUParent != nil {
			up = number[e.CPUParent]
		}
		lines := e.Stack()
		key := fmt.Sprint(lines)
		if len(lines) == 0 {
			key = ""
		}
		s, ok := stacks[key]
		if !ok {
			s = len(h.Stacks)
			stacks[key] = s
			of := make([]int, len(lines))
			for i, l := range lines {
				of[i] = str(l)
			}
			h.Stacks = append(h.Stacks, of)
		}
		start, duration = append(start, micros(e.Start)), append(duration, micros(e.End-e.Start))
		name, lane, stack = append(name, uint32(str(e.TraceName))), append(lane, uint32(e.lane)),
			append(stack, uint32(s))
		parent, kind, bytes = append(parent, up), append(kind, k), append(bytes, float64(e.CPUMemoryUsage))
	}
	for _, e := range b.events {
		switch {
		case e.TraceName == "" || !e.Device.IsCPU() && e.IsUserAnnotation: // annotations would hide the kernels
		case !e.Device.IsCPU():
			add(e, kindDevice)
		case e.IsUserAnnotation:
			add(e, kindRegion)
		case e.Scope == ScopeBackwardFunction:
			add(e, kindBackward)
		default:
			add(e, kindOperator)
		}
	}
	var times, allocated []float64
	total := b.live
	for _, m := range b.Memory {
		if m.Device >= 0 {
			continue
		}
		total += m.Bytes
		times, allocated = append(times, micros(time.Duration(m.Time-b.begin))), append(allocated, float64(total))
	}
	var c htmlpage.Columns
	h.Start, h.Duration, h.Bytes = htmlpage.Add(&c, "f64", start), htmlpage.Add(&c, "f64", duration),
		htmlpage.Add(&c, "f64", bytes)
	h.Name, h.Lane, h.Stack = htmlpage.Add(&c, "u32", name), htmlpage.Add(&c, "u32", lane),
		htmlpage.Add(&c, "u32", stack)
	h.Parent, h.Kind = htmlpage.Add(&c, "i32", parent), htmlpage.Add(&c, "u8", kind)
	h.Times, h.Allocated = htmlpage.Add(&c, "f64", times), htmlpage.Add(&c, "f64", allocated)
	return c.Write(w, h)
}
