package profiler_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// Example profiles a part of a program and lists its operators.
func Example() {
	x := torch.Ones(torch.Shape{8, 8})
	defer func() { _ = x.Close() }()
	p := profiler.NewProfile()
	if err := p.Start(); err != nil {
		fmt.Println(err)
		return
	}
	torch.Scope(func() { x.MatMul(x).ReLU() })
	if err := p.Stop(); err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range p.KeyAverages().Averages {
		if a.Key == "aten::mm" || a.Key == "aten::relu" {
			fmt.Println(a.Key, a.Count)
		}
	}
	// Output:
	// aten::mm 1
	// aten::relu 1
}

// Write a file for each cycle of the schedule, for TensorBoard's profiler plugin.
func ExampleTensorBoardTraceHandler() {
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := profiler.NewProfile(profiler.NewSchedule(profiler.Active(1), profiler.Repeat(2)),
		profiler.TensorBoardTraceHandler(dir))
	if err := p.Start(); err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() }) // a training step
		if err := p.Step(); err != nil {
			fmt.Println(err)
		}
	}
	if err := p.Stop(); err != nil {
		fmt.Println(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pt.trace.json"))
	fmt.Println(len(files), err)
	// Output:
	// 2 <nil>
}

// A region can end together with the enclosing function.
func ExampleBeginFunction() {
	load := func() {
		defer profiler.BeginFunction("load").End()
		torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() })
	}
	p, err := profiler.Run(func(*profiler.Profile) { load() })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range p.Events().Events {
		if e.CPUParent != nil && e.CPUParent.Name == "load" {
			fmt.Println("load called", e.Name)
		}
	}
	// Output:
	// load called aten::ones
	// load called aten::exp
}
