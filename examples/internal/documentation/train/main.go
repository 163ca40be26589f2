// Command train runs the training loops that the pictures in docs/ show. It writes to a
// directory: HTML pages about memory and time, a plot of memory with scopes and with the
// garbage collector, and a diagram of an autograd graph.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: train FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run writes all files.
func run(folder string) error {
	torch.ManualSeed(1)
	return errors.Join(
		snapshot(filepath.Join(folder, "memory.html")),
		profile(filepath.Join(folder, "profile.html")),
		track(filepath.Join(folder, "tracker.png")),
		graph(filepath.Join(folder, "graph.svg")),
	)
}

// step is a training step.
func step(forward func(x *torch.Tensor) *torch.Tensor, opt *optim.Adam, x, y *torch.Tensor) {
	torch.Scope(func() {
		loss := F.CrossEntropy(forward(x), y)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	})
}

// seen leaks a tensor of 256 KiB in each step, so that the pictures show a leak.
var seen []*torch.Tensor

func keep() {
	//torchvet:ignore growing the picture is of this leak
	seen = append(seen, torch.Disown(torch.Zeros(torch.Shape{256, 256})))
}

func forget() {
	for _, t := range seen {
		_ = t.Close()
	}
	seen = nil
}

// snapshot writes the memory history of eight steps.
func snapshot(path string) (err error) {
	if err := memory.RecordHistory(memory.HistoryOptions{}); err != nil {
		return err
	}
	defer memory.StopHistory()
	defer forget()
	model := nn.NewSequential(nn.NewLinear(256, 512), nn.NewReLU(), nn.NewLinear(512, 256), nn.NewReLU(),
		nn.NewLinear(256, 256))
	opt := optim.NewAdam(model.Parameters())
	x, y := torch.Randn(torch.Shape{128, 256}), torch.RandInt(0, 256, torch.Shape{128})
	for i := range 8 {
		memory.Annotate(fmt.Sprintf("step %d", i), func() {
			step(model.Forward, opt, x, y)
			keep()
		})
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return plot.WriteSnapshot(f, "train.pickle", memory.Snapshot())
}

// profile writes a profile of three steps, after some warm-up steps.
func profile(path string) error {
	conv, hidden, out := nn.NewConv2d(1, 8, 3), nn.NewLinear(8*13*13, 512), nn.NewLinear(512, 10)
	forward := func(x *torch.Tensor) *torch.Tensor {
		x = F.MaxPool2d(F.ReLU(conv.Forward(x)), 2).Flatten(1)
		return out.Forward(F.GELU(hidden.Forward(x)))
	}
	opt := optim.NewAdam(slices.Concat(conv.Parameters(), hidden.Parameters(), out.Parameters()))
	x, y := torch.Randn(torch.Shape{32, 1, 28, 28}), torch.RandInt(0, 10, torch.Shape{32})
	for range 5 {
		step(forward, opt, x, y)
	}
	p := profiler.NewProfile(profiler.RecordShapes(true), profiler.ProfileMemory(true), profiler.WithStack(true))
	if err := p.Start(); err != nil {
		return err
	}
	for range 3 {
		step(forward, opt, x, y)
	}
	return errors.Join(p.Stop(), p.ExportHTML(path))
}

// track draws the memory of 60 steps with scopes, and of 60 steps whose tensors are left
// to the garbage collector.
func track(path string) error {
	x, w := torch.Randn(torch.Shape{1024, 512}), torch.Randn(torch.Shape{512, 512})
	pass := func() { x.MatMul(w).ReLU().Add(x).Sum() }
	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	for range 60 {
		torch.Scope(pass)
		t.Step("scope")
	}
	for range 60 {
		pass()
		t.Step("collector")
	}
	return plot.Save(path, "step", plot.Steps(t.Steps()))
}

// graph draws the autograd graph of a network with two layers, before its backward pass.
func graph(path string) error {
	var drawn bytes.Buffer
	torch.Scope(func() {
		parameter := func(shape ...int64) *torch.Tensor { return torch.Ones(shape, torch.RequiresGrad(true)) }
		x := torch.Ones(torch.Shape{64, 784})
		h := x.MatMul(parameter(784, 128)).Add(parameter(128)).ReLU()
		y := h.MatMul(parameter(128, 10)).Add(parameter(10)).LogSoftmax(1).Sum()
		_ = memory.Graph(y).WriteSVG(&drawn) // a write to memory cannot fail
	})
	return os.WriteFile(path, drawn.Bytes(), 0o600)
}
