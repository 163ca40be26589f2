package claims

import (
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

var collect = Claim{
	Name:     "claim.collect_ms",
	Says:     "Collecting garbage costs 10 to 100 ms",
	Measured: "one memory.Collect by what is alive or dead",
	Unit:     "ms",
	Range:    Range{10, 100},
	measure: func(s *sheet) {
		for _, n := range []int64{1_000, 100_000, 1_000_000} {
			if s.quick && n > 1_000 {
				continue
			}
			list := small(n)
			s.judge(fmt.Sprintf("%d live tensors", n), s.median(func() func() { return memory.Collect }))
			s.note(fmt.Sprintf("%d live tensors: runtime.GC alone", n),
				s.median(func() func() { return runtime.GC }), "ms")
			closeAll(list)
			memory.Clear()
		}
		for _, n := range []int64{1_000, 100_000} {
			n = min(n, s.pick(n, 1_000))
			s.judge(fmt.Sprintf("%d dead tensors", n), s.median(func() func() {
				small(n)
				return memory.Collect
			}))
			if s.quick {
				break
			}
		}
		size := s.pick(512, 16)
		heap := pointers(size * mib)
		s.judge(fmt.Sprintf("Go heap of %d MiB full of pointers", size),
			s.median(func() func() { return memory.Collect }))
		runtime.KeepAlive(heap)
	},
}

// small creates n tensors of 64 bytes.
func small(n int64) []*torch.Tensor {
	list := make([]*torch.Tensor, n)
	for i := range list {
		list[i] = torch.Empty(torch.Shape{16})
	}
	return list
}

// node is an object in a list that simulates the Go heap of a large program.
type node struct {
	next *node
	_    [7]uintptr
}

// pointers returns a linked list of nodes whose total size is the given number of bytes.
func pointers(bytes int64) *node {
	var head *node
	for range bytes / 64 {
		head = &node{next: head}
	}
	return head
}
