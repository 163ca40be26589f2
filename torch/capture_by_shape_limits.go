package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
)

const (
	// After maxStrikes failures in a row, a kind of inputs runs without a graph. After
	// settled replays the count starts again.
	maxStrikes, settled = 3, 16
	// A graph counts as recently used if, since its last use, there were fewer calls than
	// recentCalls times the number of graphs that may be kept.
	recentCalls = 16
	// Kinds without a graph are dropped when there are maxKinds times as many kinds as
	// graphs that may be kept.
	maxKinds = 64
)

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
	if !slices.Contains(s.reasons, why) {
		s.reasons = append(s.reasons, why)
		cgotorch.Warn("torch.CaptureByShape: the step runs without a graph: " + why)
	}
}

// tooManyKinds returns the reason for running without a graph when there are too
// many graphs.
func (s *Graphs) tooManyKinds() string {
	return fmt.Sprintf("the inputs alternate between more kinds than MaxGraphs, which is %d", s.limit)
}

// markUsed records a use of a variant, and frees the least recently used one if
// there are too many.
func (s *Graphs) markUsed(v *variant) {
	v.used = s.calls
	if n := len(s.byUse); n > 0 && s.byUse[n-1] == v {
		return
	}
	if i := slices.Index(s.byUse, v); i >= 0 {
		s.byUse = slices.Delete(s.byUse, i, i+1)
	} else if !slices.Contains(v.state.variants, v) {
		return // strike or giveUp has removed the variant
	}
	s.byUse = append(s.byUse, v)
	if len(s.byUse) <= s.limit {
		return
	}
	if old := s.byUse[0]; old.runs < settled { // the graph had too few replays to be worth its recording
		s.wasted++
		s.strike(old, s.tooManyKinds())
	} else {
		s.remove(old)
	}
}

// isFull reports whether no further graph should be made: the largest number of graphs
// exists, recent recordings were not reused, and the graph that would be freed was used
// recently.
func (s *Graphs) isFull() bool {
	return len(s.byUse) >= s.limit && s.wasted >= s.limit && s.calls-s.byUse[0].used < recentCalls*s.limit
}

// forgetKinds makes room for a kind of inputs by dropping kinds that have no graph.
func (s *Graphs) forgetKinds() {
	if len(s.kinds) < maxKinds*s.limit {
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
	s.byUse, v.state.variants = drop(s.byUse), drop(v.state.variants)
	if v.rec != nil {
		v.rec.drop()
	}
	_ = v.g.Close()
}
