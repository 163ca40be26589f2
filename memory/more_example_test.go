package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// StartTrack measures from one handler to another instead of around a function.
func ExampleStartTrack() {
	t := memory.StartTrack("request")
	x := torch.Ones(torch.Shape{1 << 18})
	fmt.Println("so far", t.Read().PeakGrowth())
	_ = x.Close()
	u := t.Stop()
	fmt.Println(u.Name, u.PeakGrowth(), u.Net(), u.Allocations)
	// Output:
	// so far 1048576
	// request 1048576 0 1
}

func ExampleResetAccumulated() {
	memory.ResetAccumulated(torch.CPU)
	torch.Scope(func() { torch.Ones(torch.Shape{1 << 18}) })
	s := memory.Stats(torch.CPU)
	fmt.Println(s.RequestedBytes.All.Allocated, s.RequestedBytes.All.Freed)
	// Output: 1048576 1048576
}

// An unreachable tensor is garbage. Collect frees it.
func ExampleCollect() {
	memory.Collect()
	before := memory.Requested(torch.CPU)
	func() { torch.Ones(torch.Shape{1 << 18}) }()
	fmt.Println(memory.Requested(torch.CPU) - before)
	memory.Collect()
	fmt.Println(memory.Requested(torch.CPU) - before)
	// Output:
	// 1048576
	// 0
}

// Native memory may grow by 1 GiB before a collection starts, so there are fewer
// collections.
func ExampleSetMinHeap() {
	defer memory.SetMinHeap(memory.SetMinHeap(1 << 30))
	memory.Collect()
	before := memory.GC().Collections
	// Allocate 400 MiB and close nothing.
	for range 100 {
		torch.Ones(torch.Shape{1 << 20})
	}
	fmt.Println(memory.GC().Collections - before)
	memory.Collect()
	// Output: 0
}

func ExampleGroupTensors() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	torch.Scope(func() {
		torch.Ones(torch.Shape{256})
		torch.Ones(torch.Shape{256})
		torch.Ones(torch.Shape{512}, torch.Int64)
		for _, g := range memory.GroupTensors(memory.LiveTensors(), memory.ByDType) {
			fmt.Println(g)
		}
	})
	// Output:
	// 4.0 KiB in 1 tensors: int64
	// 2.0 KiB in 2 tensors: float32
}

func ExampleDiffBy() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	before := memory.LiveTensors()
	torch.Scope(func() {
		torch.Ones(torch.Shape{256})
		torch.Ones(torch.Shape{64, 64})
		fmt.Println(memory.FormatGrowth(memory.DiffBy(before, memory.LiveTensors(), memory.ByShape), 10))
	})
	// Output:
	// +16384 B (16384 B) in +1 (1): (64, 64)
	// +1024 B (1024 B) in +1 (1): (256,)
}

// A snapshot can be read from any reader, here from memory.
func ExampleReadSnapshot() {
	torch.Scope(func() {
		torch.Ones(torch.Shape{1 << 20})
		text, err := json.Marshal(memory.Snapshot())
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := memory.ReadSnapshot(bytes.NewReader(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Devices)
	})
	_, err := memory.ReadSnapshot(bytes.NewReader([]byte("no snapshot")))
	fmt.Println(err != nil)
	// Output:
	// [cpu]
	// true
}

func ExampleBackend() {
	fmt.Println(memory.Backend(torch.CPU)) // system with GOTORCH_CPU_ALLOCATOR=system
}

// Work on a device continues after the call that started it has returned.
func ExampleSynchronize() {
	dev := torch.CUDA.At(0)
	if err := memory.Synchronize(dev); err != nil {
		dev = torch.CPU // on the CPU there is nothing to wait for
	}
	fmt.Println(memory.Synchronize(dev))
	// Output: <nil>
}

// The parts of resident memory add up to the total.
func ExampleExplain() {
	e := memory.Explain() // fmt.Print(e) writes a table
	sum := int64(0)
	for _, p := range e.Parts {
		sum += p.Bytes
	}
	fmt.Println(sum == e.Resident, e.Of(memory.PartProgram) > 0)
	// Output: true true
}
