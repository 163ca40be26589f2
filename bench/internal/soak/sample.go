package soak

import (
	"os"
	"runtime"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Sample is the state of the process at a barrier, when no worker runs and all garbage
// has been collected. Sizes are in bytes.
type Sample struct {
	Seconds  float64 `json:"seconds"` // since the start
	Warmup   bool    `json:"warmup,omitempty"`
	Jobs     int64   `json:"jobs"` // done so far
	Native   int64   `json:"native_bytes"`
	Reserved int64   `json:"reserved_bytes"` // memory that the allocator has taken from the system
	Tensors  int64   `json:"open_tensors"`
	// number of registered hooks, custom functions and slices shared with C
	Callbacks  int   `json:"callbacks"`
	Resident   int64 `json:"resident_bytes"`
	GoHeap     int64 `json:"go_heap_bytes"`
	CHeap      int64 `json:"c_heap_bytes"`      // bytes allocated by malloc of the C library
	CHeapFree  int64 `json:"c_heap_free_bytes"` // bytes that were freed, but that malloc keeps
	Goroutines int   `json:"goroutines"`
	Threads    int   `json:"os_threads"` // 0 if unknown
}

// settle runs the collector until it frees no more tensors. One collection is not enough:
// if only a hook's closure refers to a tensor, the tensor is freed after the hook.
func settle() {
	for range 5 {
		before, callbacks := torch.NumLiveTensors(), torch.LiveCallbacks()
		memory.Clear()
		if torch.NumLiveTensors() == before && torch.LiveCallbacks() == callbacks {
			return
		}
	}
}

// observe calls settle and then takes a sample.
func (r *run) observe() Sample {
	settle()
	m := r.reader.Sample()
	at, p := m.Time.Sub(r.started), memory.Process()
	m.CHeap = p.CHeap
	s := Sample{
		Seconds: at.Seconds(), Warmup: at < r.options.Warmup, Jobs: r.shared.done.Load(),
		Native: m.Native, Tensors: m.Tensors, Resident: m.Resident, GoHeap: m.GoHeap,
		CHeap: p.CHeap, CHeapFree: p.CHeapFree,
		Reserved: p.Reserved, Callbacks: torch.LiveCallbacks(),
		Goroutines: runtime.NumGoroutine(), Threads: threads(),
	}
	if r.options.Rounds > 0 {
		m.Time = r.started.Add(time.Duration(len(r.samples)) * time.Second)
	}
	if !s.Warmup {
		r.judge.Add(m)
		r.judgeResident.Add(m)
	}
	return s
}

func threads() int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(tasks)
}

// monitor returns a Monitor with room for several weeks of samples.
func monitor(tolerance float64) (*memory.Monitor, error) {
	return memory.NewMonitor(memory.MonitorOptions{
		Window: 1 << 20, MinSamples: 10, Tolerance: tolerance,
		Interval: time.Second,
	})
}
