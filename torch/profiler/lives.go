package profiler

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// life is a block of memory from its allocation to its release.
type life struct {
	block
	bytes       int64
	from, until int64 // from profiler.Clock; 0 and math.MaxInt64 are before and after the recording
	thread      uint32
	is          Category
	preexisting bool
}

// lives returns the blocks allocated, freed or seen in the recording, with their purpose,
// in the order of allocation. It must run after construct.
func (b *builder) lives() []*life {
	var all []*life
	at := map[block]*life{}
	gone := map[block][]*life{} // freed blocks; an address may have had several in turn
	for _, m := range b.Memory {
		place := block{m.Device, m.Addr}
		l := at[place]
		switch {
		case m.Bytes > 0:
			l = &life{
				block: place, bytes: m.Bytes, from: m.Time, until: math.MaxInt64, thread: m.Thread,
				is: CategoryUnknown,
			}
			at[place] = l
			all = append(all, l)
		case l != nil:
			l.until = m.Time
			gone[place] = append(gone[place], l)
			delete(at, place)
		default:
			l = &life{block: place, bytes: -m.Bytes, until: m.Time, is: CategoryUnknown, preexisting: true}
			gone[place] = append(gone[place], l)
			all = append(all, l)
		}
	}
	b.byOperators(all)
	for place, l := range at {
		gone[place] = append(gone[place], l)
	}
	// Categories from optimizers take precedence over categories from modules, and both
	// over all others.
	weight := map[Category]int{CategoryInput: 1, CategoryGradient: 2, CategoryParameter: 3, CategoryOptimizerState: 4}
	for _, s := range b.seen.seen {
		var l *life
		for _, x := range gone[s.block] {
			if x.from <= s.time && s.time <= x.until {
				l = x
			}
		}
		if l == nil { // the block was neither allocated nor freed during the recording
			l = &life{block: s.block, bytes: s.bytes, until: math.MaxInt64, is: CategoryUnknown, preexisting: true}
			gone[s.block] = append(gone[s.block], l)
			all = append(all, l)
		}
		// The output of one forward pass may be the input of the next. It stays an activation.
		if weight[s.is] > weight[l.is] && (s.is != CategoryInput || l.is == CategoryUnknown) {
			l.is = s.is
		}
	}
	slices.SortStableFunc(all, func(x, y *life) int { return cmp.Compare(x.from, y.from) })
	return all
}

// byOperators sets the purpose of each block according to the operator that allocated it.
func (b *builder) byOperators(all []*life) {
	derived := b.derived()
	of := map[uint32][]*life{}
	for _, l := range all {
		if !l.preexisting {
			of[l.thread] = append(of[l.thread], l)
		}
	}
	for thread, ls := range of {
		times := make([]int64, len(ls))
		for i, l := range ls {
			times[i] = l.from
		}
		for i, e := range b.ownersAt(times, thread) {
			if e != nil {
				ls[i].is = b.purpose(e, ls[i], derived)
			}
		}
	}
}

// node identifies a node of the autograd graph by its sequence number and the thread of
// the forward operator.
type node struct {
	seq    int64
	thread uint64
}

// derived returns the outermost operators whose gradients were computed during the recording. If
// several operators have the sequence number of a node, the last of them created the node.
func (b *builder) derived() map[*Event]bool {
	makers := map[node]*Event{}
	for _, e := range b.events {
		if e.Scope == ScopeFunction && e.SequenceNr >= 0 && e.device == nil {
			makers[node{e.SequenceNr, e.Thread}] = e
		}
	}
	out := map[*Event]bool{}
	for _, e := range b.events {
		if e.Scope != ScopeBackwardFunction || e.SequenceNr < 0 {
			continue
		}
		if maker := makers[node{e.SequenceNr, e.FwdThread}]; maker != nil {
			out[placeOf(maker).operator] = true
		}
	}
	return out
}

// place describes where an operator was called.
type place struct {
	operator *Event // the outermost operator within the same node or region
	backward bool   // within a backward pass
	step     bool   // within the step of an optimizer
}

func placeOf(e *Event) place {
	at := place{operator: e}
	inside := true
	for up := e; up != nil; up = up.CPUParent {
		switch {
		case up.Scope == ScopeBackwardFunction:
			at.backward, inside = true, false
		case up.IsUserAnnotation:
			at.step = at.step || strings.HasPrefix(up.Name, "Optimizer.step#")
			inside = false
		case strings.HasPrefix(up.Name, "autograd::engine::"):
			inside = false
		case inside:
			at.operator = up
		}
	}
	return at
}

// purpose returns the purpose of a block allocated by an operator.
func (b *builder) purpose(e *Event, l *life, derived map[*Event]bool) Category {
	switch at := placeOf(e); {
	case l.until <= b.begin+int64(at.operator.End):
		return CategoryTemporary
	case at.backward:
		return CategoryAutogradDetail
	case !at.step && (derived[at.operator] || b.inModule(e)):
		return CategoryActivation
	}
	return CategoryUnknown
}

// inModule reports whether an event is part of a module's forward pass.
func (b *builder) inModule(e *Event) bool {
	for g, lane := range b.byG {
		if lane != e.lane {
			continue
		}
		at := b.begin + int64(e.Start)
		i, found := slices.BinarySearchFunc(b.passes[g], at, func(p pass, at int64) int {
			return cmp.Compare(p.start, at)
		})
		return found || i > 0 && at < b.passes[g][i-1].end
	}
	return false
}
