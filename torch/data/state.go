package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// LoaderState is where a loop over a loader is, so that another loop, in another process
// too, goes on with the next batch: what [Loader.StateDict] returns. It is plain data,
// for encoding/json or encoding/gob; what its fields say is for the loader alone.
// It follows the state of torchdata's StatefulDataLoader.
type LoaderState struct {
	NumWorkers int
	Yielded    int             // batches of the epoch that the loop has had
	Batches    int             `json:",omitempty"` // of the whole epoch; 0 if that is not known
	Start      GeneratorStates // before the epoch's first random number
	Now        GeneratorStates // when the state was taken
	Seed       int64           // of the workers
	Continuing bool            // the workers had it from an epoch before
	Workers    []WorkerState   `json:",omitempty"`
	Under      []int           `json:",omitempty"` // the workers of the batches that were being made
	Exhausted  bool            `json:",omitempty"` // the sampler had said that it has no more
	Turn       int             // the worker that was next
	Ended      []bool          `json:",omitempty"` // workers whose stream had ended
}

// GeneratorStates are the states of the generators that a loader draws from: the CPU's
// default one, its own, and those of its sampler and dataset.
type GeneratorStates struct {
	Default []byte   `json:",omitempty"`
	Own     []byte   `json:",omitempty"`
	Others  [][]byte `json:",omitempty"`
}

// WorkerState is what one worker has done.
type WorkerState struct {
	Batches   int    // of the epoch that the loop has had from it
	Start     []byte `json:",omitempty"` // its generator before the epoch; nil if it had its seed
	Generator []byte `json:",omitempty"` // its generator after the batches, if there were any
}

// StateDict returns where the loop is that began last, be it running or left, with the
// batch counted that it has now; after its last batch, and before the first loop, where
// the next epoch begins. The random generators belong to it: the CPU's default one, the
// loader's own, those of the workers, and each *torch.Generator in a field of the sampler,
// of the dataset, and of samplers, datasets and transforms within these. A generator that
// only a function holds is not in the state, nor is one of math/rand, nor the epoch of a
// [DistributedSampler]. Call StateDict between or within steps, on the goroutine of the
// loop.
//
// It panics with ErrValue if nothing can repeat the batches: if workers deliver out of
// order, where torchdata's StatefulDataLoader gives a state without a promise, and if
// workers share a generator of the dataset.
func (l *Loader) StateDict() LoaderState {
	l.made("StateDict")
	bad := func(detail string) {
		panic(torch.NewError("data.Loader.StateDict", torch.ErrValue, "receiver", detail))
	}
	switch {
	case l.opts.workers == 0:
	case !l.opts.inOrder:
		bad("batches that come in any order cannot be repeated; leave InOrder(false) out")
	case l.shared:
		bad("the workers share a generator that the dataset holds, and who draws first cannot be repeated; draw from the default generator, of which each worker has its own, or leave NumWorkers out")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resume != nil {
		return *l.resume
	}
	s := LoaderState{NumWorkers: l.opts.workers, Now: l.generatorStates()}
	r := l.last
	if r == nil {
		return s
	}
	if r.ended {
		if l.crew != nil {
			s.Seed, s.Continuing, s.Workers = r.seed, true, l.crew.states()
		}
		return s
	}
	s.Yielded, s.Start, s.Seed, s.Continuing = r.yielded, r.start, r.seed, r.continuing
	if l.set != nil {
		s.Batches = l.Len()
	}
	if p := r.pool; p != nil {
		s.Exhausted, s.Turn, s.Ended = p.exhausted, p.turn, append([]bool(nil), p.ended...)
		for id := range p.workers {
			w := p.states[id]
			if r.crew != nil {
				w.Start = r.crew[id].Start
			}
			s.Workers = append(s.Workers, w)
		}
		for id := p.received; id < p.sent; id++ {
			if w, there := p.tasks[id]; there && !p.ended[w] {
				s.Under = append(s.Under, w)
			}
		}
	}
	return s
}

// LoadStateDict has the next loop go on where the state says, and sets the random
// generators as they were. The dataset, the sampler and the options have to be those of
// the loader that the state is from; a [DistributedSampler] needs the SetEpoch of that
// epoch first. The batches before that place are not made again,
// except for an iterable dataset, which is read from its beginning. It returns an error
// of kind ErrValue for a state of another number of workers or of batches, and for one with
// or without a Generator where the loader is not so, and has changed nothing then.
func (l *Loader) LoadStateDict(s LoaderState) error {
	const op = "data.Loader.LoadStateDict"
	l.made("LoadStateDict")
	bad := func(detail string) error { return torch.NewError(op, torch.ErrValue, "s", detail) }
	n := l.opts.workers
	switch {
	case s.NumWorkers != n:
		return bad(fmt.Sprintf("expected a state of a loader with %d workers, got one with %d, whose workers had drawn other random numbers; make this loader with %s, or start the epoch again without the state",
			n, s.NumWorkers, workersOption(s.NumWorkers)))
	case s.Yielded < 0, s.Turn < 0, s.Turn > 0 && s.Turn >= n:
		return bad("a negative number, or a worker that is not there")
	case len(s.Workers) != 0 && len(s.Workers) != n, len(s.Ended) != 0 && len(s.Ended) != n:
		return bad(fmt.Sprintf("it lists %d workers, this loader has %d", max(len(s.Workers), len(s.Ended)), n))
	case s.Start.Own != nil && l.opts.generator == nil, s.Now.Own != nil && l.opts.generator == nil:
		return bad("it is of a loader with a generator of its own")
	case l.opts.generator != nil && s.Now.Default != nil && s.Now.Own == nil:
		return bad("it is of a loader without a Generator, and this one has one")
	case l.set != nil && s.Yielded > 0 && s.Batches > 0 && s.Batches != l.Len():
		return bad(fmt.Sprintf("it is of an epoch of %d batches, this loader's has %d; make it with the same dataset, sampler and options", s.Batches, l.Len()))
	case len(s.Under) > l.opts.prefetch*n:
		return bad(fmt.Sprintf("%d batches were being made, this loader makes %d at once", len(s.Under), l.opts.prefetch*n))
	}
	for _, w := range s.Under {
		if w < 0 || w >= n {
			return bad(fmt.Sprintf("worker %d of %d", w, n))
		}
	}
	for _, w := range s.Workers {
		if w.Batches < 0 || !isState(w.Start) || !isState(w.Generator) {
			return bad("a worker's state that is none")
		}
	}
	for _, g := range []GeneratorStates{s.Start, s.Now} {
		if !isState(g.Default) || !isState(g.Own) {
			return bad("a generator's state that is none")
		}
		if n := len(l.generators); len(g.Others) != n && (g.Default != nil || g.Others != nil) {
			return bad(fmt.Sprintf("expected the states of %d generators of the sampler and the dataset, got %d; make them with the options of the loader that the state is from", n, len(g.Others)))
		}
		for k, state := range g.Others {
			if !isStateOf(l.generators[k].Device(), state) {
				return bad("a generator's state that is none")
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resume = &s
	l.crew = nil
	return nil
}

// workersOption is the option that gives a loader n workers.
func workersOption(n int) string {
	if n == 0 {
		return "no NumWorkers"
	}
	return fmt.Sprintf("NumWorkers(%d)", n)
}

// isState reports whether a generator of the CPU takes b as its state.
func isState(b []byte) bool { return isStateOf(torch.CPU, b) }

func isStateOf(d torch.Device, b []byte) bool {
	return b == nil || torch.Try(func() { restore(torch.NewGenerator(d), b) }) == nil
}

// begun reports whether the state is one of a loop, and not one between two.
func (s *LoaderState) begun() bool { return s.Start.Default != nil }

// enter sets the generators as they were before the epoch's first random number.
func (s *LoaderState) enter(l *Loader) {
	if s.begun() {
		s.Start.restore(l)
	} else {
		s.Now.restore(l)
	}
}

func (l *Loader) generatorStates() GeneratorStates {
	s := GeneratorStates{Default: generatorState(torch.DefaultGenerator(torch.CPU))}
	if l.opts.generator != nil {
		s.Own = generatorState(l.opts.generator)
	}
	for _, g := range l.generators {
		s.Others = append(s.Others, generatorState(g))
	}
	return s
}

func (g GeneratorStates) restore(l *Loader) {
	restore(torch.DefaultGenerator(torch.CPU), g.Default)
	if l.opts.generator != nil {
		restore(l.opts.generator, g.Own)
	}
	for k, state := range g.Others {
		restore(l.generators[k], state)
	}
}

// generatorState returns the state of g as bytes.
func generatorState(g *torch.Generator) (state []byte) {
	torch.Scope(func() { state = g.State().Uint8s() })
	return state
}

// restore sets a state that generatorState returned; nil leaves g as it is.
func restore(g *torch.Generator, state []byte) {
	if state == nil {
		return
	}
	torch.Scope(func() { g.SetState(torch.FromSliceWith(state, torch.Shape{int64(len(state))}, torch.CPU)) })
}

// states are those of the workers' generators.
func (c *crew) states() (all []WorkerState) {
	for _, g := range c.generators {
		all = append(all, WorkerState{Start: generatorState(g)})
	}
	return all
}

// start gives out the first tasks: what a loop before this one had under way, or as many
// as there is room for.
func (p *pool) start(at *LoaderState) {
	p.sent, p.received, p.turn = at.Yielded, at.Yielded, at.Turn
	copy(p.ended, at.Ended)
	if at.Yielded == 0 {
		p.prime()
		return
	}
	for _, w := range at.Under {
		indices, ok := p.indices()
		if !ok {
			return
		}
		p.give(w, indices)
	}
	if at.Exhausted {
		_, ok := p.indices() // which may draw
		p.exhausted = !ok
	}
}
