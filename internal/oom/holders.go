// Package oom finds out about an operator that got no memory: what libtorch says of it,
// and which lines of the program hold what there is. Package torch makes the error.
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

// Holder is what one line of a program had allocated that was still alive.
type Holder struct {
	Site  string // "/home/me/train.go:17 main.train", or "unknown"
	Bytes int64
	Count int64 // of blocks, or of tensors where only those are listed
}

// mostHolders is how many lines are named.
const mostHolders = 10

// Holders returns the lines that hold most of a device's memory, the largest first.
// known is false if nobody has recorded who holds what. cuda is the device's number,
// -1 for the CPU; code is its number on the boundary.
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

// blockSites adds the blocks that the CPU allocator's history knows.
func blockSites(add addSite) {
	const every = 1 << 16
	sites, _ := mem.CPUSites(every)
	for _, s := range sites {
		// A gradient is the doing of the line whose operator it derives.
		id := trace.ID(s.Stack)
		if s.Forward != 0 {
			id = trace.ID(s.Forward)
		}
		add(id, s.Bytes, s.Count)
	}
}

// tensorSites adds the listed tensors on a device, each storage once.
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

// largest sums live memory by line.
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
