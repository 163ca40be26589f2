package torch

import "slices"

// mayRecord reports whether a kind of inputs may have one more graph. If not, it
// warns.
func (s *Graphs) mayRecord(k kind, st *kindState) bool {
	switch {
	case k.modes.AutocastCPU && !k.modes.NoCache && k.grad:
		s.giveUp(st,
			"autocast outside the step reuses casts of weights in the next step: call autocast inside the step")
	case s.isFull():
		s.warnOnce(s.tooManyKinds())
	default:
		return true
	}
	return false
}

// recordFirst runs a step and records it for the first time.
func (s *Graphs) recordFirst(op string, st *kindState, inputs []*Tensor) []*Tensor {
	copies, why := copyInputs(inputs)
	if why != "" {
		s.giveUp(st, why)
		return s.run(op, inputs)
	}
	g := &Graph{
		audits: auditSchedule{every: s.auditEvery}, optimize: s.optimize, compute: s.compute,
		inputs: copies, owned: slices.Clone(copies),
	}
	var rec *recorder
	// If too many recordings are in progress, a later call is recorded.
	if err := Try(func() { rec = newRecorder(op, g, true) }); err != nil {
		closeAll(g.owned)
		return s.run(op, inputs)
	}
	v := &variant{state: st, g: g, rec: rec}
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
	if st.refusal != "" || v.rec.r.HasRetried() { // if memory ran out, a later call is recorded
		return results
	}
	g.guards = v.rec.r.Guards()
	v.rec.r.Clear()
	st.variants = append(st.variants, v)
	s.markUsed(v)
	done = true
	return results
}

// recordSecond runs a step, records it for the second time and builds the graph.
func (s *Graphs) recordSecond(op string, v *variant, inputs []*Tensor) []*Tensor {
	rec := v.rec
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
			made = rec.recordPass(op, func() []*Tensor { return s.fn(v.g.inputs) }, v.g.inputs, inputs)
			return clones(op, made)
		})
		if v.state.refusal != "" {
			return results
		}
		if rec.r.HasRetried() { // a later call is recorded
			s.remove(v)
			return results
		}
		if err := Try(func() { rec.finish(op, made) }); err != nil {
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
