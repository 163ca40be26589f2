package main

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// graphs contains the forward and backward passes that -graph has captured. There are
// separate graphs for each batch shape, and for each number of batches per step, because
// a captured graph contains that number as a constant.
type graphs struct{ of map[int]*torch.Graphs }

// backward runs the forward and backward pass of a batch, which adds to the gradients, and
// returns the loss. share is the number of batches in the step.
func (t *trainer) backward(share int, batch data.Batch) *torch.Tensor {
	pass := func(b []*torch.Tensor) []*torch.Tensor {
		var loss *torch.Tensor
		t.autocast(func() { loss = F.CrossEntropy(t.model.Forward(b[0]), b[1]) })
		t.scaler.Scale(loss.DivScalar(share)).Backward()
		return []*torch.Tensor{loss}
	}
	inputs := []*torch.Tensor{batch.Input, batch.Target}
	if !t.graph {
		return pass(inputs)[0]
	}
	g := t.graphs.of[share]
	if g == nil {
		g = torch.CaptureByShape(pass)
		if t.graphs.of == nil {
			t.graphs.of = map[int]*torch.Graphs{}
		}
		t.graphs.of[share] = g
	}
	return g.Call(inputs...)[0]
}

// Close frees the graphs.
func (g *graphs) Close() {
	for _, of := range g.of {
		_ = of.Close()
	}
}
