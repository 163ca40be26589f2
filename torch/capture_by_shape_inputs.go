package torch

import (
	"cmp"
	"fmt"
	"slices"
)

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

// copyInputs returns copies of the inputs for a graph, or the reason why an input cannot be
// copied. The caller owns the copies.
func copyInputs(inputs []*Tensor) (copies []*Tensor, why string) {
	done := false
	defer func() {
		if !done {
			closeAll(copies)
		}
	}()
	for i, t := range inputs {
		why := cannotFeed(t)
		if why == "" {
			var c *Tensor
			NoGrad(func() { c = Disown(copyOf(t)) })
			copies = append(copies, c)
			if !slices.Equal(t.Stride(), c.Stride()) {
				why = fmt.Sprintf("has the strides %v, so elements share memory: pass the result of Contiguous()",
					t.Stride())
			}
		}
		if why != "" {
			closeAll(copies)
			return nil, fmt.Sprintf("input %d %s", i, why)
		}
	}
	done = true
	return copies, ""
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

// watchInputs runs a step with copies in place of inputs. If the step writes to a copy,
// or makes it require a gradient, watchInputs copies the change to the input and gives up
// graphs for this kind of inputs.
func (s *Graphs) watchInputs(st *kindState, inputs, copies []*Tensor, step func() []*Tensor) []*Tensor {
	versions := versionsOf(copies)
	required := make([]bool, len(copies))
	for i, t := range copies {
		required[i] = t.RequiresGrad()
	}
	results := step()
	var why []string
	for i, n := range versionsOf(copies) {
		if n == versions[i] {
			continue
		}
		if copies[i] != inputs[i] {
			NoGrad(func() { inputs[i].Copy_(copies[i]) })
		}
		why = append(why, fmt.Sprintf("the step writes to input %d, but a graph would write to a copy", i))
	}
	for i, t := range copies {
		if !t.RequiresGrad() || required[i] {
			continue
		}
		if t != inputs[i] {
			inputs[i].SetRequiresGrad(true)
			if grad := t.Grad(); grad != nil {
				inputs[i].SetGrad(grad)
				_ = grad.Close()
			}
		}
		why = append(why, fmt.Sprintf("the step makes input %d require a gradient, but a graph would give "+
			"the gradient to a copy", i))
	}
	for _, w := range why {
		s.giveUp(st, w)
	}
	return results
}

// versionsOf returns the versions of tensors, 0 for inference tensors, which have none.
func versionsOf(ts []*Tensor) []int64 {
	versions := make([]int64, len(ts))
	for i, t := range ts {
		if !t.IsInference() {
			versions[i] = t.TensorVersion()
		}
	}
	return versions
}

// shareMemory reports whether two of the inputs share memory.
func shareMemory(inputs []*Tensor) bool {
	for i, t := range inputs {
		if cannotFeed(t) == "" && slices.ContainsFunc(inputs[:i], func(o *Tensor) bool {
			return cannotFeed(o) == "" && t.SharesStorage(o)
		}) {
			return true
		}
	}
	return false
}
