package memory_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func ExampleStats() {
	before := memory.Stats(torch.CPU)
	x := torch.Ones(torch.Shape{100})
	after := memory.Stats(torch.CPU)
	fmt.Println(after.RequestedBytes.All.Current - before.RequestedBytes.All.Current)
	fmt.Println(after.Allocation.SmallPool.Allocated - before.Allocation.SmallPool.Allocated)
	_ = x.Close()
	// Output:
	// 400
	// 1
}

func ExampleStatsFlat() {
	flat := memory.StatsFlat(torch.CPU)
	_, known := flat["allocated_bytes.all.peak"]
	fmt.Println(len(flat), known, flat["num_ooms"] >= 0)
	// Output: 122 true true
}

func ExampleSummary() {
	lines := strings.Split(memory.Summary(torch.CPU, memory.Abbreviated(true)), "\n")
	fmt.Println(strings.TrimSpace(strings.Trim(lines[1], "|")))
	// Output: PyTorch CPU memory summary, device ID 0
}

func ExampleReport() {
	title, _, _ := strings.Cut(memory.Report(), " (")
	fmt.Println(title)
	// Output: native memory on cpu
}

func ExampleEmptyCache() {
	x := torch.Ones(torch.Shape{64 << 20}) // 256 MiB
	_ = x.Close()
	memory.EmptyCache(torch.CPU)
	cached := memory.Reserved(torch.CPU) - memory.Allocated(torch.CPU)
	fmt.Println(cached < 256<<20)
	// Output: true
}

func ExampleResetPeak() {
	memory.ResetPeak(torch.CPU)
	start := memory.Requested(torch.CPU)
	torch.Scope(func() { torch.Ones(torch.Shape{1 << 20}) })
	fmt.Println(memory.MaxRequested(torch.CPU) - start)
	// Output: 4194304
}

func ExampleMemGetInfo() {
	free, total, err := memory.MemGetInfo(torch.CPU)
	fmt.Println(free > 0, free <= total, err)
	_, _, err = memory.MemGetInfo(torch.Meta)
	fmt.Println(err)
	// Output:
	// true true <nil>
	// torch: memory.MemGetInfo: tensors on meta have no memory
}

func ExampleSetFraction() {
	if err := memory.SetFraction(torch.CPU, 0.5); err != nil {
		fmt.Println(err)
	}
	_, total, err := memory.MemGetInfo(torch.CPU)
	fmt.Println(memory.Limit(torch.CPU) == total, err)
	if err := memory.SetLimit(torch.CPU, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(memory.SetFraction(torch.CPU, 1.5))
	// Output:
	// true <nil>
	// torch: memory.SetFraction: expected a fraction above 0 and at most 1, got 1.5 on cpu
}

func ExampleSetGCPercent() {
	// Collect when native memory has grown by half, but at least by 16 MiB.
	percent, least := memory.SetGCPercent(50), memory.SetMinHeap(16<<20)
	fmt.Println(percent, least>>20)
	memory.SetGCPercent(percent)
	memory.SetMinHeap(least)
	// Output: 100 64
}

func ExampleProcess() {
	p := memory.Process()
	fmt.Println(p.PeakResident >= p.Resident, p.Reserved == memory.Reserved(torch.CPU), p.GoHeap > 0)
	// Output: true true true
}

func ExampleClear() {
	before := memory.Requested(torch.CPU)
	for range 3 {
		torch.Ones(torch.Shape{1 << 20}) // nobody closes them
	}
	memory.Clear()
	fmt.Println(memory.Requested(torch.CPU) - before)
	// Output: 0
}

// HostStats describes page-locked host memory, which tensors created with
// torch.PinMemory(true) use. Without CUDA there is none.
func ExampleHostStats() {
	s, err := memory.HostStats()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(s.ActiveBytes.Current, s.AllocatedBytes.Peak)
}

// A pool keeps memory allocated inside UsePool in its own regions. Pools need a CUDA
// device.
func ExampleUsePool() {
	pool, err := memory.NewMemPool(torch.CUDA.At(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer pool.Close()
	memory.UsePool(pool, func() {
		torch.Scope(func() { torch.Ones(torch.Shape{1 << 20}, torch.CUDA.At(0)) })
	})
}
