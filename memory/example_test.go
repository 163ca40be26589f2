package memory_test

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func ExampleTrack() {
	u := memory.Track("two buffers", func() {
		torch.Scope(func() {
			torch.Zeros(torch.Shape{1 << 18}) // 1 MiB
			torch.Zeros(torch.Shape{1 << 18})
		})
	})
	fmt.Println(u.PeakGrowth(), u.Net(), u.Allocations)
	// Output: 2097152 0 2
}

func ExampleRequested() {
	before := memory.Requested(torch.CPU)
	x := torch.Zeros(torch.Shape{10, 10})
	fmt.Println(memory.Requested(torch.CPU) - before)
	if err := x.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(memory.Requested(torch.CPU) - before)
	// Output:
	// 400
	// 0
}

func ExampleSetLimit() {
	if err := memory.SetLimit(torch.CPU, memory.Reserved(torch.CPU)+64<<20); err != nil {
		fmt.Println(err)
		return
	}
	err := torch.Try(func() { torch.Zeros(torch.Shape{1 << 30}) })
	fmt.Println(err != nil)
	if err := memory.SetLimit(torch.CPU, 0); err != nil {
		fmt.Println(err)
	}
	// Output: true
}

func ExampleDeviceStats_Summary() {
	// These statistics come from a Python program that saved torch.cuda.memory_stats.
	s := memory.StatsFromFlat(map[string]int64{"allocated_bytes.all.current": 3 << 20, "num_ooms": 2})
	table := strings.Split(s.Summary(torch.CUDA.At(1), memory.Abbreviated(true)), "\n")
	fmt.Println(strings.Join(table[:8], "\n"))
	// Output:
	// |===========================================================================|
	// |                  PyTorch CUDA memory summary, device ID 1                 |
	// |---------------------------------------------------------------------------|
	// |            CUDA OOMs: 2            |        cudaMalloc retries: 0         |
	// |===========================================================================|
	// |        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
	// |---------------------------------------------------------------------------|
	// | Allocated memory      |   3072 KiB |      0 B   |      0 B   |      0 B   |
}
