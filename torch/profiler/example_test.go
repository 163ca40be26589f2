package profiler_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// List the operators of a forward pass, with their counts.
func ExampleRun() {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	defer model.Close()
	x := torch.Ones(torch.Shape{3, 4})
	defer x.Close()
	p, err := profiler.Run(func(*profiler.Profile) {
		torch.NoGrad(func() { torch.Scope(func() { model.Forward(x) }) })
	}, profiler.RecordShapes(true))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range p.KeyAverages(profiler.GroupByInputShape(true)).Averages {
		if a.Key == "aten::linear" || a.Key == "aten::relu" {
			fmt.Println(a.Key, a.Count, a.InputShapes)
		}
	}
	// To print a table of times, use
	// fmt.Print(p.KeyAverages().Table(profiler.SortBySelfCPUTimeTotal,
	// profiler.RowLimit(10))).

	// Output:
	// aten::linear 1 [[3 4] [8 4] [8]]
	// aten::relu 1 [[3 8]]
	// aten::linear 1 [[3 8] [2 8] [2]]
}

// Profile a few steps of a long training run, and repeat this.
func ExampleNewSchedule() {
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := profiler.NewProfile(
		profiler.NewSchedule(profiler.Wait(1), profiler.Warmup(1), profiler.Active(2), profiler.Repeat(2)),
		profiler.TensorBoardTraceHandler(dir),
	)
	if err := p.Start(); err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() }) // a training step
		if err := p.Step(); err != nil {
			fmt.Println(err)
		}
	}
	if err := p.Stop(); err != nil {
		fmt.Println(err)
	}
	traces, _ := filepath.Glob(filepath.Join(dir, "*.pt.trace.json"))
	fmt.Println(len(traces), "traces")
	// Output: 2 traces
}

func ExampleRecordFunction() {
	p, err := profiler.Run(func(*profiler.Profile) {
		profiler.RecordFunction("prepare", func() {
			torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() })
		})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range p.Events().Events {
		if e.CPUParent != nil && e.CPUParent.Name == "prepare" {
			fmt.Println("prepare called", e.Name)
		}
	}
	// Output:
	// prepare called aten::ones
	// prepare called aten::exp
}
