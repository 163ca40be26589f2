package main

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["mlp.graph.step"] = func(a args) result { return learn(a, smallMLP) }
	cases["graph.block"] = func(a args) result { return learn(a, smallBlock) }
	cases["graph.lstm"] = func(a args) result { return learn(a, smallLSTM) }
	cases["graph.cnn"] = func(a args) result { return learn(a, smallCNN) }
	cases["graph.peak"] = graphPeak
}

// A learner is a model with the shapes of its input batches and labels.
type learner struct {
	net     *nn.ModuleList
	forward func(x *torch.Tensor) *torch.Tensor
	shape   torch.Shape
	classes torch.Shape
}

func smallMLP() learner {
	net := network()
	return learner{nn.NewModuleList(net), net.Forward, torch.Shape{16, 32}, torch.Shape{16}}
}

// smallBlock returns a transformer layer for sequences of 16 vectors.
func smallBlock() learner {
	layer, head := nn.NewTransformerEncoderLayer(32, 4, nn.DimFeedforward(64), nn.DropoutP(0)), nn.NewLinear(32, 10)
	return learner{nn.NewModuleList(layer, head), func(x *torch.Tensor) *torch.Tensor {
		return head.Forward(layer.Forward(x).Mean(torch.Dim(0)))
	}, torch.Shape{16, 8, 32}, torch.Shape{8}}
}

func smallLSTM() learner {
	lstm, head := nn.NewLSTM(16, 32, nn.BatchFirst(true)), nn.NewLinear(32, 10)
	return learner{nn.NewModuleList(lstm, head), func(x *torch.Tensor) *torch.Tensor {
		out, _, _ := lstm.Forward(x, nil, nil)
		return head.Forward(out.Select(1, -1))
	}, torch.Shape{8, 8, 16}, torch.Shape{8}}
}

// smallCNN returns a CNN that spends most of its time in convolutions.
func smallCNN() learner {
	net := nn.NewSequential(
		nn.NewConv2d(3, 64, 7, nn.Stride(2), nn.Padding(3)), nn.NewReLU(),
		nn.NewConv2d(64, 64, 3, nn.Padding(1)), nn.NewReLU(),
		nn.NewAdaptiveAvgPool2d(1), nn.NewFlatten(), nn.NewLinear(64, 10),
	)
	return learner{nn.NewModuleList(net), net.Forward, torch.Shape{8, 3, 64, 64}, torch.Shape{8}}
}

// training is a learner with its optimizer and one batch: the inputs x and labels y.
type training struct {
	learner
	opt  *optim.AdamW
	x, y *torch.Tensor
}

func newTraining(made func() learner) *training {
	torch.ManualSeed(1)
	l := made()
	return &training{
		l, optim.NewAdamW(l.net.Parameters(), optim.Fused(true), optim.LR(1e-3)),
		torch.Randn(l.shape), torch.RandInt(0, 10, l.classes),
	}
}

func (t *training) step() []*torch.Tensor {
	loss := F.CrossEntropy(t.forward(t.x), t.y)
	t.opt.ZeroGrad()
	loss.Backward()
	t.opt.Step()
	return []*torch.Tensor{loss}
}

func (t *training) Close() {
	check(t.net.Close())
	check(t.opt.Close())
	check(t.x.Close())
	check(t.y.Close())
}

// learn times replays of a captured training step or, with the "eager" argument, the step
// without a graph. It first checks that both reach the same parameters.
func learn(a args, made func() learner) result {
	eager, graphed := newTraining(made), newTraining(made)
	defer eager.Close()
	defer graphed.Close()
	g := torch.Capture(graphed.step, torch.Inputs{graphed.x, graphed.y})
	defer func() { check(g.Close()) }()
	for range 10 {
		g.Replay()
	}
	for range 3 + 10 {
		torch.Scope(func() { eager.step() })
	}
	torch.Scope(func() {
		for i, p := range eager.net.Parameters() {
			if !p.Equal(graphed.net.Parameters()[i]) {
				check(fmt.Errorf("parameter %d differs from the parameter learned without a graph", i))
			}
		}
	})
	if a.get("eager", 0) != 0 {
		return result{nanos: timed(a.iterations, func() { torch.Scope(func() { eager.step() }) })}
	}
	return result{nanos: timed(a.iterations, func() { g.Replay() })}
}

// graphPeak returns the peak memory of a training step with and without a graph, not
// counting memory that stays allocated between steps. It does so both for a replay, which
// includes the graph's memory, and for the capture. Each pair of peaks is from the model
// with the worst ratio.
func graphPeak(args) result {
	worst := result{nanos: 1, named: map[string]int64{"graph": 0, "eager": 1, "captured": 0, "captured_eager": 1}}
	compare := func(name, eagerName string, bytes, eager int64) {
		if bytes*worst.named[eagerName] > worst.named[name]*eager {
			worst.named[name], worst.named[eagerName] = bytes, eager
		}
	}
	peak := func(fn func()) int64 {
		memory.ResetPeak(torch.CPU)
		fn()
		return memory.MaxAllocated(torch.CPU)
	}
	for _, made := range []func() learner{smallMLP, smallBlock, smallLSTM, smallCNN} {
		t := newTraining(made)
		once := func() { torch.Scope(func() { t.step() }) }
		once()
		t.opt.ZeroGrad()
		stays := memory.Allocated(torch.CPU)
		eager := peak(once) - stays
		t.opt.ZeroGrad()
		var g *torch.Graph
		captured := peak(func() { g = torch.Capture(t.step) })
		g.Replay() // The first replay also runs the step without the graph, to compare the results.
		compare("graph", "eager", peak(func() { g.Replay() })-stays, eager)
		compare("captured", "captured_eager", captured-stays, eager)
		check(g.Close())
		t.Close()
	}
	return worst
}
