package profiler

import (
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/internal/htmlpage"
	"github.com/gotorch/gotorch/torch"
)

//go:embed page/memory.html
var memoryHTML string

//go:embed page/memory.js
var memoryJS string

// memoryData is the header of the page's data; times are in microseconds.
type memoryData struct {
	Device     string            `json:"device"`
	Categories []string          `json:"categories"`
	Span       float64           `json:"span"`
	Times      htmlpage.Column   `json:"times"`
	Sizes      []htmlpage.Column `json:"sizes"` // one column for each category
}

func (b *builder) memoryPage(w io.Writer, t timeline) error {
	h := memoryData{
		Device: torch.CPU.String(), Categories: categoryNames[:],
		Span: micros(time.Duration(b.end - b.begin)),
	}
	if t.device >= 0 {
		h.Device = torch.CUDA.At(int(t.device)).String()
	}
	at, sizes := t.sizes(b.begin)
	times := make([]float64, len(at))
	for i := range at {
		times[i] = micros(time.Duration(at[i] - b.begin))
	}
	var c htmlpage.Columns
	h.Times = htmlpage.Add(&c, "f64", times)
	for k := range h.Categories {
		column := make([]float64, len(at))
		for i := range at {
			column[i] = float64(sizes[i][1+k])
		}
		h.Sizes = append(h.Sizes, htmlpage.Add(&c, "f64", column))
	}
	return htmlpage.Write(w, memoryHTML, filepath.Base(os.Args[0]), []string{memoryJS}, func(w io.Writer) error {
		return c.Write(w, h)
	})
}
