package torch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch"
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
	calls int
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

// After maxStrikes failures in a row, a kind of inputs runs without a graph.
// After settled replays the count starts again.
const maxStrikes, settled = 3, 16

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

// cannotFeed returns why an input cannot be copied to a graph before each replay, or "".
func cannotFeed(t *Tensor) string {
	switch {
	case t.RequiresGrad():
		return "requires a gradient, but a graph would not set its gradient"
	case t.IsInference() && !IsInferenceMode():
		return "is an inference tensor, but a graph would use an ordinary copy"
	case !t.Device().IsCPU():
		return "is on " + t.Device().String() + ", and graphs by shape are for the CPU"
	case t.Layout() != Strided || t.IsNested():
		return "is not dense"
	}
	return ""
}

// copyOf returns a copy with t's strides, or with contiguous strides if
// elements of t share memory.
func copyOf(t *Tensor) *Tensor {
	c := t.Clone()
	if slices.Equal(t.Stride(), c.Stride()) || overlaps(t) {
		return c
	}
	defer c.Close()
	out := EmptyStrided(t.Shape(), t.Stride(), t.DType())
	return out.Copy_(c)
}

// overlaps reports whether elements of t may share memory, judging by sizes and
// strides.
func overlaps(t *Tensor) bool {
	shape, stride := t.Shape(), t.Stride()
	by := make([]int, len(shape))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, j int) int { return cmp.Compare(stride[i], stride[j]) })
	room := int64(1)
	for _, i := range by {
		if shape[i] < 2 {
			continue
		}
		if stride[i] < room {
			return true
		}
		room += stride[i] * (shape[i] - 1)
	}
	return false
}

// changed returns what has changed in the layers since the recording, or "".
func (v *variant) changed() string { return v.g.changed() }

// fits compares the gradients that exist now with those at the recording. It returns 0 if
// they are the same, 1 if they differ, and -1 if they can never be the same again.
func (v *variant) fits(op string) int {
	r := BeginRaw(op)
	fits := capture.Fits(r.Ctx, v.g.native)
	r.Status(0)
	return fits
}

// strike discards a variant. After maxStrikes in a row its kind of inputs runs
// without a graph.
func (s *Graphs) strike(v *variant, why string) {
	s.remove(v)
	if v.state.strikes++; v.state.strikes >= maxStrikes {
		s.giveUp(v.state, why)
	}
}

// giveUp makes a kind of inputs run without a graph from now on.
func (s *Graphs) giveUp(st *kindState, why string) {
	st.refusal = why
	for _, v := range slices.Clone(st.variants) {
		s.remove(v)
	}
	s.warnOnce(why)
}

// warnOnce warns that steps run without a graph, once for each reason.
func (s *Graphs) warnOnce(why string) {
	if !slices.Contains(s.why, why) {
		s.why = append(s.why, why)
		cgotorch.Warn("torch.CaptureByShape: the step is run without a graph: " + why)
	}
}

// tooManyKinds returns the reason for running without a graph when there are too
// many graphs.
func (s *Graphs) tooManyKinds() string {
	return fmt.Sprintf("more kinds of inputs take turns than MaxGraphs, %d", s.limit)
}

// markUsed records a use of a variant, and frees the least recently used one if
// there are too many.
func (s *Graphs) markUsed(v *variant) {
	v.used = s.calls
	if n := len(s.last); n > 0 && s.last[n-1] == v {
		return
	}
	if i := slices.Index(s.last, v); i >= 0 {
		s.last = slices.Delete(s.last, i, i+1)
	} else if !slices.Contains(v.state.variants, v) {
		return // strike or giveUp has removed the variant
	}
	s.last = append(s.last, v)
	if len(s.last) <= s.limit {
		return
	}
	if old := s.last[0]; old.runs < settled { // the graph had too few replays to be worth its recording
		s.wasted++
		s.strike(old, s.tooManyKinds())
	} else {
		s.remove(old)
	}
}

// isFull reports whether no further graph should be made: all places are taken,
// recent recordings were not reused, and the graph that would be freed was used
// recently.
func (s *Graphs) isFull() bool {
	return len(s.last) >= s.limit && s.wasted >= s.limit && s.calls-s.last[0].used < 16*s.limit
}

// forgetKinds makes room for a kind of inputs by dropping kinds that have no graph.
func (s *Graphs) forgetKinds() {
	if len(s.kinds) < 64*s.limit {
		return
	}
	for k, st := range s.kinds {
		if len(st.variants) == 0 {
			delete(s.kinds, k)
		}
	}
}

func (s *Graphs) remove(v *variant) {
	drop := func(of []*variant) []*variant {
		return slices.DeleteFunc(of, func(o *variant) bool { return o == v })
	}
	s.last, v.state.variants = drop(s.last), drop(v.state.variants)
	if v.rec != nil {
		v.rec.drop()
	}
	_ = v.g.Close()
}
