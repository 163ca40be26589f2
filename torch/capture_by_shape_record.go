package torch

import (
	"fmt"
	"slices"
)

// mayRecord reports whether a kind of inputs may have one more graph. If not, it
// warns.
func (s *Graphs) mayRecord(k kind, st *kindState) bool {
	switch {
	case k.modes.AutocastCPU && !k.modes.NoCache && k.grad:
		s.giveUp(st,
			"autocast around the step keeps the casts of weights from one step to the next: put it into the step")
	case s.isFull():
		s.warnOnce(s.tooManyKinds())
	default:
		return true
	}
	return false
}

// recordFirst makes a step and records it for the first time.
func (s *Graphs) recordFirst(op string, st *kindState, inputs []*Tensor) []*Tensor {
	g := &Graph{audits: auditSchedule{every: s.every}}
	for i, t := range inputs {
		why := cannotFeed(t)
		if why == "" {
			var c *Tensor
			NoGrad(func() { c = Disown(copyOf(t)) })
			g.inputs, g.owned = append(g.inputs, c), append(g.owned, c)
			if !slices.Equal(t.Stride(), c.Stride()) {
				why = fmt.Sprintf("has the strides %v, so that elements share memory: pass Contiguous() of it",
					t.Stride())
			}
		}
		if why != "" {
			closeAll(g.owned)
			s.giveUp(st, fmt.Sprintf("input %d %s", i, why))
			return s.run(op, inputs)
		}
	}
	var t *recorder
	// If too many recordings are in progress, a later call is recorded.
	if err := Try(func() { t = newRecorder(op, g, true) }); err != nil {
		closeAll(g.owned)
		return s.run(op, inputs)
	}
	v := &variant{state: st, g: g, rec: t}
	done := false
	defer func() {
		if !done {
			v.rec.drop()
		}
	}()
	results := s.watchInputs(st, inputs, g.inputs, func() []*Tensor {
		return TidyAll(func() []*Tensor {
			return clones(op, v.rec.recordPass(op, func() []*Tensor { return s.fn(g.inputs) }, g.inputs, inputs))
		})
	})
	if st.refusal != "" {
		return results
	}
	g.guards = v.rec.r.Guards()
	// Begin removes the callbacks of the first pass. They may refer to the graph, and a
	// second pass may never follow.
	v.rec.r.Begin()
	st.variants = append(st.variants, v)
	s.markUsed(v)
	done = true
	return results
}

// recordSecond makes a step, records it for the second time and builds the graph.
func (s *Graphs) recordSecond(op string, v *variant, inputs []*Tensor) []*Tensor {
	t := v.rec
	done := false
	defer func() {
		if !done {
			s.remove(v)
		}
	}()
	v.g.feed(op, inputs)
	results := TidyAll(func() []*Tensor {
		var made []*Tensor
		results := s.watchInputs(v.state, inputs, v.g.inputs, func() []*Tensor {
			made = t.recordPass(op, func() []*Tensor { return s.fn(v.g.inputs) }, v.g.inputs, inputs)
			return clones(op, made)
		})
		if v.state.refusal != "" {
			return results
		}
		if err := Try(func() { t.finish(op, made) }); err != nil {
			s.strike(v, typed(err).Message)
			return results
		}
		v.rec = nil
		s.markUsed(v)
		return results
	})
	done = true
	return results
}

// watchInputs makes a step with copies in place of inputs. If the step writes to a
// copy, or makes it require a gradient, watchInputs copies the change to the input
// and gives up graphs for this kind of inputs.
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
		why = append(why, fmt.Sprintf("input %d is written to by the step, but a graph would write to its own copy", i))
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
		why = append(why, fmt.Sprintf("input %d is made to require a gradient by the step, but a graph would give "+
			"the gradient to its own copy", i))
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
