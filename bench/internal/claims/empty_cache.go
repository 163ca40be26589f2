package claims

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

var emptyCache = Claim{
	Name:     "claim.empty_cache_ms",
	Says:     "EmptyCache costs 10 to 50 ms",
	Measured: "one memory.EmptyCache by what is cached",
	Unit:     "ms",
	Range:    Range{10, 50},
	measure: func(s *sheet) {
		s.note("nothing cached", s.median(func() func() {
			memory.Clear()
			return func() { memory.EmptyCache(torch.CPU) }
		}), "ms")
		for _, size := range []struct {
			name     string
			bytes    int64
			headline bool
		}{
			{"10 MiB", 10 * mib, false},
			{"100 MiB", 100 * mib, true},
			{"256 MiB", s.pick(256*mib, 20*mib), false},
			{"1 GiB", s.pick(gib, 200*mib), false},
		} {
			judge := s.judge
			if size.headline {
				judge = s.judgeHeadline
			}
			judge(size.name+" in one block", s.emptying(size.bytes, size.bytes))
			s.judge(size.name+" in blocks of 512 KiB", s.emptying(size.bytes, 512*kib))
		}
		s.refill(s.pick(100*mib, 10*mib))
	},
}

// emptying returns the time of EmptyCache after tensors were written and closed. total is
// their total size in bytes, and block is the size of each.
func (s *sheet) emptying(total, block int64) float64 {
	return s.median(func() func() {
		closeAll(fill(total, block))
		return func() { memory.EmptyCache(torch.CPU) }
	})
}

// refill compares creating tensors after EmptyCache with creating them from the cache,
// because EmptyCache slows down later allocations.
func (s *sheet) refill(bytes int64) {
	var cold, warm []float64
	for range s.rounds {
		memory.EmptyCache(torch.CPU) //torchvet:ignore emptycache what it costs later is measured
		for _, times := range []*[]float64{&cold, &warm} {
			u := memory.Track("fill", func() { closeAll(fill(bytes, bytes)) })
			*times = append(*times, float64(u.Duration.Nanoseconds()))
		}
	}
	what := fmt.Sprintf("writing a tensor of %d MiB after EmptyCache", bytes/mib)
	s.note(what, over(cold, warm), "% slower than from the cache")
}

// fill creates tensors of block bytes each, total bytes in all. It writes to all of them,
// so that their pages are resident.
func fill(total, block int64) []*torch.Tensor {
	list := make([]*torch.Tensor, 0, total/block)
	for range total / block {
		list = append(list, torch.Ones(float32s(block)))
	}
	return list
}
