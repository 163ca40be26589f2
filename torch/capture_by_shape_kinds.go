package torch

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/modes"
)

// kind identifies the inputs and modes that share a graph.
type kind struct {
	inputs          string // dtype, shape, strides and requires_grad of each input
	modes           modes.Modes
	grad, inference bool
	madeWith        defaults
}

// kindState holds the graphs for one kind of inputs.
type kindState struct {
	eagerCalls int // the number of calls that ran without a graph
	// The variants differ in the state of layers, such as the training mode, and in which
	// gradients exist.
	variants []*variant
	strikes  int    // the number of failed recordings and of graphs that no longer match the program
	refusal  string // why graphs are no longer tried
}

// variant is a graph, or the recording that becomes one.
type variant struct {
	state *kindState
	g     *Graph
	rec   *recorder // nil when the recording has ended
	runs  int       // the number of replays
	used  int       // the number of the last call that used the variant
}

// stateOf returns the graphs for a kind of inputs.
func (s *Graphs) stateOf(k kind) *kindState {
	st := s.kinds[k]
	if st == nil {
		st = new(kindState)
		s.forgetKinds()
		s.kinds[k] = st
	}
	return st
}

// kindOf describes the inputs of a call.
func (s *Graphs) kindOf(op string, inputs []*Tensor) kind {
	var b []byte
	for i, t := range inputs {
		if t == nil {
			panic(argError(op, ErrNil, "inputs", fmt.Sprintf("input %d is nil", i)))
		}
		t.handle(op+"(inputs)", 0)
		b = append(b, t.Device().String()...)
		b = append(b, t.DType().String()...)
		b = strconv.AppendBool(strconv.AppendBool(b, t.RequiresGrad()), t.IsInference())
		if t.IsNested() { // a nested tensor has no single shape
			b = append(b, "nested"...)
		} else {
			for _, n := range t.Shape() {
				b = strconv.AppendInt(append(b, ','), n, 10)
			}
			if t.Layout() == Strided {
				for _, n := range t.Stride() {
					b = strconv.AppendInt(append(b, '/'), n, 10)
				}
			}
		}
		b = append(b, ';')
	}
	return kind{string(b), modes.Current(), IsGradEnabled(), IsInferenceMode(), defaultsNow()}
}

// changed returns what has changed in the layers since the recording, or "".
func (v *variant) changed() string { return v.g.changed() }

// matchGradients compares the gradients that exist now with those at the recording.
func (v *variant) matchGradients(op string) capture.Match {
	r := BeginRaw(op)
	match := capture.MatchGradients(r.Ctx, v.g.native)
	r.Status(0)
	return match
}
