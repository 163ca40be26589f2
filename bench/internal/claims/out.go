package claims

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// The claim states no number. A buffer counts as worthwhile if it saves at least 5 % of
// the time.
var (
	faster  = Range{math.Inf(-1), -5}
	smaller = Range{0, 0.95}
)

var outBuffer = Claim{
	Name:     "claim.out_buffer",
	Says:     "Writing into a preallocated buffer (out=) saves time and memory",
	Measured: "processor time of a loop with AddOut, above that of Add with its result closed",
	Unit:     "%",
	Range:    faster,
	measure: func(s *sheet) {
		s.manyRounds()
		for _, c := range []struct {
			name  string
			bytes int64
			loops int64
		}{
			{"4 KiB", 4 * kib, 20_000},
			{"1 MiB", mib, 400},
			{"64 MiB", s.pick(64*mib, 2*mib), 8},
		} {
			s.buffers(c.name, c.bytes, s.pick(c.loops, 10))
		}
	},
}

// buffers compares sums that are written to new memory with sums that are written to a
// buffer, both for separate results and for a running sum.
func (s *sheet) buffers(name string, bytes, loops int64) {
	a, b := torch.Randn(float32s(bytes)), torch.Randn(float32s(bytes))
	defer closeAll([]*torch.Tensor{a, b})
	base := float64(a.NBytes() + b.NBytes())

	into := func() {
		buffer := torch.EmptyLike(a)
		times(loops, func() { aten.AddOut(buffer, a, b, nil) })()
		buffer.Close()
	}
	r := s.alternate(
		times(loops, func() { a.Add(b).Close() }),
		into,
		//torchvet:ignore looptensor what is left to the collector is measured here
		times(loops, func() { a.Add(b) }),
		func() {
			sum := a.Clone()
			for range loops {
				next := sum.Add(b)
				sum.Close()
				sum = next
			}
			sum.Close()
		},
		func() {
			sum := a.Clone()
			times(loops, func() { aten.AddOut(sum, sum, b, nil) })()
			sum.Close()
		})
	closed, out, collected, running, runningOut := r[0], r[1], r[2], r[3], r[4]
	grown := func(r series) float64 { return r.peakBytes() - base }

	s.note(name+": one Add, result closed", closed.time()/float64(loops), "ns")
	s.judge(name+": time", out.slower(closed))
	s.judge(name+": time, running sum", runningOut.slower(running))
	s.note(name+": time against results left to the collector", out.slower(collected), "%")
	s.judgeIn(name+": peak", grown(out)/grown(closed), "x", smaller)
	s.judgeIn(name+": peak, running sum", grown(runningOut)/grown(running), "x", smaller)
	s.note(fmt.Sprintf("%s: peak against %d results left to the collector", name, loops), grown(out)/grown(collected),
		"x")
}
