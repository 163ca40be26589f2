// Package oom collects information about an operator that ran out of memory: the numbers
// that libtorch reports, and the lines of the program that hold memory. Package torch
// creates the error.
package oom

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Holder is the live memory allocated by one line of a program.
type Holder struct {
	Site  string // "/home/me/train.go:17 main.train", or "unknown"
	Bytes int64
	Count int64 // the number of blocks, or of tensors if only tensors are listed
}

// mostHolders is the maximum number of lines in an error.
const mostHolders = 10

// Holders returns the lines that hold the most memory of a device, in descending order.
// known is false if allocations were not recorded. cuda is the number of the CUDA device,
// or -1 for the CPU; code is the device's number in abi.
func Holders(cuda int, code int32) (list []Holder, known bool) {
	switch {
	case cuda < 0 && mem.CPUHistoryMode() != mem.HistoryOff:
		return largest(blockSites), true
	case live.On():
		return largest(func(add addSite) { tensorSites(code, add) }), true
	}
	return nil, false
}

type addSite func(id trace.ID, bytes, count int64)

// blockSites calls add for the blocks in the CPU allocator's history.
func blockSites(add addSite) {
	const every = 1 << 16
	sites, _ := mem.CPUSites(every)
	for _, s := range sites {
		// Attribute a gradient to the operator of the forward pass.
		id := trace.ID(s.Stack)
		if s.Forward != 0 {
			id = trace.ID(s.Forward)
		}
		add(id, s.Bytes, s.Count)
	}
}

// tensorSites calls add for the listed tensors on a device, once for each storage.
func tensorSites(device int32, add addSite) {
	seen := map[uintptr]bool{}
	live.Each(func(e *live.Entry) {
		if cgotorch.TensorInfo(e.Handle).Device != device {
			return
		}
		s, st := cgotorch.Storage(e.Handle)
		if st != 0 {
			cgotorch.FreeStatus(st)
			return
		}
		if !seen[s.Storage] {
			seen[s.Storage] = true
			w := e.Weight()
			add(e.Site, int64(w*float64(s.Bytes)), int64(w+0.5))
		}
	})
}

// largest sums the memory by line and returns the lines with the most, in descending
// order.
func largest(sites func(addSite)) []Holder {
	byLine := map[string]*Holder{}
	sites(func(id trace.ID, bytes, count int64) {
		line := siteText(id)
		l := byLine[line]
		if l == nil {
			l = &Holder{Site: line}
			byLine[line] = l
		}
		l.Bytes += bytes
		l.Count += count
	})
	out := make([]Holder, 0, len(byLine))
	for _, l := range byLine {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site))
	})
	return out[:min(len(out), mostHolders)]
}

func siteText(id trace.ID) string {
	frames := trace.Frames(id)
	f, ok := trace.Site(frames)
	if !ok {
		if len(frames) == 0 {
			return "unknown"
		}
		f = frames[len(frames)-1]
	}
	return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Function)
}
