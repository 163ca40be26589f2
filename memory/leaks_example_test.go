package memory_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func ExampleTrackTensors() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	torch.Scope(func() {
		torch.Zeros(torch.Shape{1024})
		torch.Zeros(torch.Shape{1024})
		torch.Ones(torch.Shape{8}, torch.Int64)
		for _, g := range memory.GroupTensors(memory.LiveTensors(), memory.ByType) {
			fmt.Println(g)
		}
	})
	// Output:
	// 8.0 KiB in 2 tensors: tensor float32 (1024,)
	// 64 B in 1 tensors: tensor int64 (8,)
}

func ExampleDiff() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	before := memory.LiveTensors()
	torch.Scope(func() {
		for range 3 {
			torch.Zeros(torch.Shape{256})
		}
		for _, g := range memory.Diff(before, memory.LiveTensors()) {
			file, _, _ := strings.Cut(g.Key, ":")
			fmt.Println(g.CountDelta, g.BytesDelta, file)
		}
	})
	// Output: 3 3072 leaks_example_test.go
}

func ExampleLiveTensors() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	w := torch.Ones(torch.Shape{3, 4}).RequiresGrad_()
	defer w.Close()
	for _, t := range memory.LiveTensors() {
		fmt.Println(t.Kind, t.DType, t.Shape, t.Device, t.Bytes, t.Owner)
	}
	// Output: parameter float32 (3, 4) cpu 48 collector
}

func ExampleGraph() {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{100, 100}).RequiresGrad_()
		loss := w.Exp().Sum()
		fmt.Print(memory.Graph(loss))
		loss.Backward()
		fmt.Println(memory.Graph(loss).Bytes(memory.HeldSaved), "bytes saved after the backward pass")
	})
	// Output:
	// 3 nodes of about 2.5 KiB hold 78.1 KiB, 39.1 KiB of it saved for the backward pass
	//      1 ExpBackward0: 39.1 KiB
	//      1 AccumulateGrad: 39.1 KiB
	//      1 SumBackward0: 0 B
	// 0 bytes saved after the backward pass
}

func ExampleGraphInfo_WriteDOT() {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}).RequiresGrad_()
		var b bytes.Buffer
		if err := memory.Graph(w.MulScalar(2)).WriteDOT(&b); err != nil {
			fmt.Println(err)
		}
		fmt.Print(b.String())
	})
	// Output:
	// digraph autograd {
	// 	node [shape=box, style=filled, fontname="monospace", fontsize=10];
	// 	n0 [label="MulBackward0", fillcolor="#ffffff"];
	// 	n1 [label="AccumulateGrad\nparameter float32 (2,) 8 B", fillcolor="#ff6969"];
	// 	n0 -> n1;
	// }
}

func ExampleMonitor() {
	m, err := memory.NewMonitor(memory.MonitorOptions{
		OnLeak: func(t memory.Alert) { fmt.Println("alert:", t.Quantity, "are", t.Verdict) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// A program would call go m.Run(ctx). The samples here describe a process that grows by
	// a megabyte per second.
	start := time.Now()
	for i := range int64(100) {
		m.Add(memory.Sample{Time: start.Add(time.Duration(i) * time.Second), Native: i << 20, Tensors: 100})
	}
	fmt.Println(m.Trend(memory.OpenTensors).Verdict)
	// Output:
	// alert: native bytes are leaking
	// flat
}

func ExampleStartLeakCheck() {
	check := memory.StartLeakCheck()
	x := torch.Zeros(torch.Shape{256})
	fmt.Println(regexp.MustCompile(`[^ ]+:\d+`).ReplaceAllString(check.Stop().Lines[0].String(), "main.go:7"))
	if err := x.Close(); err != nil {
		fmt.Println(err)
	}
	// Output: +1024 B (1024 B) in +1 (1): main.go:7 memory_test.ExampleStartLeakCheck
}

// logger prints instead of failing a test.
type logger struct{}

func (logger) Helper()                           {}
func (logger) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func ExampleAssertNoGrowth() {
	x := torch.Ones(torch.Shape{4})
	defer func() { _ = x.Close() }()
	total := 0.0
	ok := memory.AssertNoGrowth(logger{}, 100, func(int) {
		torch.Scope(func() { total += x.Sum().Item() })
	})
	fmt.Println(ok)
	// Output: true
}

func ExampleWriteTensorProfile() {
	defer memory.TrackTensors(memory.TrackTensors(1))
	torch.Scope(func() {
		torch.Zeros(torch.Shape{1024})
		var b bytes.Buffer // a file, for "go tool pprof"
		fmt.Println(memory.WriteTensorProfile(&b), b.Len() > 0)
	})
	// Output: <nil> true
}

func ExampleDiffBlocks() {
	if err := memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryState}); err != nil {
		fmt.Println(err)
		return
	}
	before := memory.Snapshot()
	w := torch.Ones(torch.Shape{256}).RequiresGrad_()
	defer func() { _ = w.Close() }()
	var sum int64
	for _, g := range memory.DiffBlocks(before, memory.Snapshot()) {
		sum += g.BytesDelta
	}
	fmt.Println(sum)
	if err := memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff}); err != nil {
		fmt.Println(err)
	}
	// Output: 1024
}

func ExampleObjects() {
	w := torch.Ones(torch.Shape{3}).RequiresGrad_()
	hook := w.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
	for _, o := range memory.Objects() {
		if o.Kind == memory.Hooks {
			fmt.Println("there are", o.Kind)
			break
		}
	}
	hook.Remove()
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output: there are hooks
}
