// Package account accounts for the native memory of a training run: how much is live
// between two steps, what holds it, and how much more a step uses while it runs. At the
// end it reports whether everything is free. Package account counts the bytes of host
// memory that tensors requested.
package account

import (
	"fmt"
	"io"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/torch"
)

// Book is the account of one training run.
type Book struct {
	bytes, tensors int64 // alive at the start
	whole          *memory.Tracking
	// For each step: the live bytes before it and the peak during it, both without the
	// bytes that were live at the start.
	before, peak []float64
}

// Open begins an account. Memory that is already in use does not count.
func Open() *Book {
	memory.Collect()
	return &Book{
		bytes: memory.Requested(torch.CPU), tensors: torch.NumLiveTensors(),
		whole: memory.StartTrack("training"),
	}
}

func (b *Book) alive() int64 { return memory.Requested(torch.CPU) - b.bytes }

// Step runs fn as one step of the training. The memory of the tensors in batch counts as
// used by the step.
func (b *Book) Step(fn func(), batch ...*torch.Tensor) {
	b.before = append(b.before, float64(b.alive()-hostBytes(batch)))
	usage := memory.Track("step", fn)
	b.peak = append(b.peak, float64(usage.Peak-b.bytes))
}

// Part is a named group of tensors that live longer than a step.
type Part struct {
	Name    string
	Tensors []*torch.Tensor
}

// Report writes a table of the parts that hold the live bytes, and of the additional
// bytes that a step used. Call it between two steps. Tensors created by the function
// parts are freed and not counted.
func (b *Book) Report(w io.Writer, parts func() []Part) {
	alive := b.alive()
	rest, peak := alive, alive
	line := func(what string, bytes int64) { fmt.Fprintf(w, "  %-34s %12d\n", what, bytes) }
	fmt.Fprintln(w, "native bytes on the host")
	torch.Scope(func() {
		for _, p := range parts() {
			bytes := hostBytes(p.Tensors)
			line(p.Name, bytes)
			rest -= bytes
		}
	})
	line("anything else", rest)
	line("alive between steps", alive)
	if len(b.before) > 2 {
		line("grown since the end of step 2", alive-int64(b.before[2]))
	}
	for _, p := range b.peak {
		peak = max(peak, int64(p))
	}
	line("batch and activations at the peak", peak-alive)
	line("peak", peak)
}

// Curves returns a plot of the memory in use over the steps.
func (b *Book) Curves() plot.Panel {
	return plot.Panel{Label: "native memory, MB", FromZero: true, Lines: []plot.Line{
		{Label: "peak of a step", Y: scaled(b.peak, 1e-6)},
		{Label: "between steps", Y: scaled(b.before, 1e-6)},
	}}
}

// Close collects garbage and ends the account. It returns by how much the numbers of live
// bytes and tensors exceed those at the start, and the peak number of bytes.
func (b *Book) Close() (bytes, tensors, peak int64) {
	memory.Collect()
	return b.alive(), torch.NumLiveTensors() - b.tensors, b.whole.Stop().Peak - b.bytes
}

// hostBytes returns the bytes of the tensors in host memory.
func hostBytes(tensors []*torch.Tensor) (n int64) {
	for _, t := range tensors {
		if t != nil && t.Device().IsCPU() {
			n += t.NBytes()
		}
	}
	return n
}

func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * by
	}
	return out
}
