package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/capture"
)

// useGraph runs a step with a graph that fits the current state of the layers. If such a
// graph was recorded only once, it makes the second recording. It returns false if there
// is no such graph.
func (s *Graphs) useGraph(op string, st *kindState, inputs []*Tensor) (results []*Tensor, ok bool) {
	for _, v := range slices.Clone(st.variants) {
		if st.refusal != "" {
			break
		}
		if v.changed() != "" {
			continue
		}
		switch match := v.matchGradients(op); {
		case match == capture.NeverMatches:
			s.strike(v, "the step adds to or reads gradients that are different tensors each time; set them to "+
				"zero instead of dropping them, or drop them within the step")
			continue
		case match == capture.Differs:
			continue
		case v.rec != nil:
			return s.recordSecond(op, v, inputs), true
		case v.g.feed(op, inputs):
			return s.run(op, inputs), true
		}
		results, err := s.replay(op, v, inputs)
		if err == nil {
			return results, true
		}
		s.strike(v, err.Message)
		break
	}
	return nil, false
}

// replay runs a step with a graph, or audits the graph if that is due. If the program has
// changed something that the graph depends on, it does nothing and returns an error.
func (s *Graphs) replay(op string, v *variant, inputs []*Tensor) ([]*Tensor, *Error) {
	if err := v.g.prepareReplay(op); err != nil {
		return nil, err
	}
	if v.g.audits.due() {
		if err := v.g.checkNative(op); err != nil {
			return nil, err
		}
		if results, ok := s.audit(op, v, inputs); ok {
			return results, nil
		}
	}
	if err := v.g.replay(op); err != nil {
		return nil, err
	}
	if v.runs++; v.runs == settled {
		v.state.strikes = 0
	}
	s.markUsed(v)
	return clones(op, v.g.results), nil
}

// audit runs a step without the graph and compares it with the graph. If they differ,
// this kind of inputs runs without graphs from now on. If the graph cannot be audited
// now, audit does nothing and returns false.
func (s *Graphs) audit(op string, v *variant, inputs []*Tensor) (results []*Tensor, ok bool) {
	var why string
	adopted := true
	results = s.watchInputs(v.state, inputs, v.g.inputs, func() []*Tensor {
		return TidyAll(func() []*Tensor {
			var made []*Tensor
			if made, why, ok = v.g.audit(op, func() []*Tensor { return s.fn(v.g.inputs) }, v.g.inputs, inputs); ok &&
				why == "" {
				// nil, because the results are copies
				if err := Try(func() { v.g.adopt(op, nil) }); err != nil {
					adopted = false // the step has run, so the call has not failed
				}
			}
			return clones(op, made)
		})
	})
	switch {
	case why == retriedReason || !adopted:
		s.remove(v) // the gradients are not those of the graph; a later call is recorded
	case why != "":
		s.giveUp(v.state, why)
	case ok && v.state.refusal == "":
		v.runs++
		s.markUsed(v)
	}
	return results, ok
}
