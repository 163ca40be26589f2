package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// LoaderState is the position of a loop over a loader, from which another loop, even in
// another process, can continue. [Loader.StateDict] returns it. It is plain data for
// encoding/json or encoding/gob. Programs should not interpret its fields. A LoaderState
// follows the state of torchdata's StatefulDataLoader.
type LoaderState struct {
	NumWorkers int
	BatchSize  int             `json:",omitempty"` // the option; 0 in states that do not have it
	Shuffle    bool            `json:",omitempty"` // the option
	Yielded    int             // the number of the epoch's batches that the loop has received
	Batches    int             `json:",omitempty"` // the number of batches in the whole epoch; 0 if unknown
	Start      GeneratorStates // the states of the generators before the epoch's first random number
	Now        GeneratorStates // the states of the generators when StateDict was called
	Seed       int64           // of the workers
	Continuing bool            // whether the workers' generators continue from an earlier epoch
	Workers    []WorkerState   `json:",omitempty"`
	InFlight   []int           `json:",omitempty"` // for each batch in flight, the worker that makes it
	Exhausted  bool            `json:",omitempty"` // whether the sampler has no more batches
	NextWorker int             // the index of the worker that gets the next batch
	Ended      []bool          `json:",omitempty"` // for each worker, whether its stream has ended
}

// GeneratorStates are the states of the generators that a loader draws from: the default CPU
// generator, the loader's generator, and the generators of the sampler and the dataset.
type GeneratorStates struct {
	Default []byte   `json:",omitempty"`
	Own     []byte   `json:",omitempty"`
	Others  [][]byte `json:",omitempty"`
}

// WorkerState is the progress of one worker.
type WorkerState struct {
	Batches int // the number of the worker's batches that the loop has received in this epoch
	// the state of the worker's generator before the epoch; nil if it was seeded for this
	// epoch
	Start []byte `json:",omitempty"`
	// the state of the worker's generator after these batches; nil if it has drawn nothing
	Generator []byte `json:",omitempty"`
}

// StateDict returns the position of the most recent loop, whether it is running or has
// ended. The current batch counts as done. After the last batch, and before the first
// loop, the position is the beginning of the next epoch.
//
// The state includes the random generators: the default CPU generator, the loader's and
// those of the workers. It also includes each *torch.Generator in a field of the sampler,
// of the dataset, and of samplers, datasets and transforms within these. It does not
// include generators that are only captured by a closure, generators of math/rand, or the
// epoch of a [DistributedSampler]. Call StateDict between or within steps, on the
// goroutine of the loop.
//
// It panics with ErrValue if the batches are not reproducible: with workers and
// [InOrder](false), or if workers share a generator of the dataset. With in_order=False,
// torchdata's StatefulDataLoader returns a state that may not reproduce the batches.
func (l *Loader) StateDict() LoaderState {
	const op = "data.Loader.StateDict"
	l.mustBeMade(op)
	bad := func(detail string) {
		panic(torch.NewError(op, torch.ErrValue, "receiver", detail))
	}
	switch {
	case l.opts.workers == 0:
	case !l.opts.inOrder:
		bad("with InOrder(false) the order of the batches is not reproducible; remove InOrder(false)")
	case l.generatorsShared:
		bad("the workers share a generator of the dataset, and the order in which they draw is not reproducible; " +
			"draw from the default generator, which is separate for each worker, or remove NumWorkers")
	}
	l.lock()
	defer l.mu.Unlock()
	if l.resume != nil {
		return *l.resume
	}
	s := LoaderState{
		NumWorkers: l.opts.workers, BatchSize: int(l.opts.batchSize), Shuffle: l.opts.shuffle,
		Now: l.generatorStates(),
	}
	r := l.lastRun
	if r == nil {
		return s
	}
	if r.ended {
		if l.workerGenerators != nil {
			s.Seed, s.Continuing, s.Workers = r.seed, true, l.workerGenerators.states()
		}
		return s
	}
	s.Yielded, s.Start, s.Seed, s.Continuing = r.yielded, r.start, r.seed, r.continuing
	if l.dataset != nil {
		s.Batches = l.Len()
	}
	if p := r.pool; p != nil {
		s.Exhausted, s.NextWorker, s.Ended = p.exhausted, p.nextWorker, append([]bool(nil), p.ended...)
		for id := range p.workers {
			w := p.states[id]
			if r.workerStates != nil {
				w.Start = r.workerStates[id].Start
			}
			s.Workers = append(s.Workers, w)
		}
		for id := p.received; id < p.sent; id++ {
			if w, there := p.tasks[id]; there && !p.ended[w] {
				s.InFlight = append(s.InFlight, w)
			}
		}
	}
	return s
}

// LoadStateDict makes the next loop continue from the state, and restores the random
// generators. The dataset, the sampler and the options must be the same as in the loader
// that returned the state. With a [DistributedSampler], first call SetEpoch with the epoch
// of the state. Batches that were received before the state was taken are not made again,
// except that an iterable dataset is read from its beginning.
//
// It returns an error of kind ErrValue, and changes nothing, if the number of workers
// differs or if only one of the loaders has a Generator. Within an epoch the number and the
// size of batches and Shuffle must not differ either.
func (l *Loader) LoadStateDict(s LoaderState) error {
	const op = "data.Loader.LoadStateDict"
	l.mustBeMade(op)
	bad := func(detail string) error { return torch.NewError(op, torch.ErrValue, "s", detail) }
	n := l.opts.workers
	switch {
	case s.NumWorkers != n:
		return bad(fmt.Sprintf("expected a state of a loader with %d workers, got one with %d, whose workers have "+
			"drawn different random numbers; create this loader with %s, or start the epoch again without the state",
			n, s.NumWorkers, workersOption(s.NumWorkers)))
	case s.Yielded < 0, s.NextWorker < 0, s.NextWorker > 0 && s.NextWorker >= n:
		return bad("the state has a negative number, or an invalid worker")
	case len(s.Workers) != 0 && len(s.Workers) != n, len(s.Ended) != 0 && len(s.Ended) != n:
		return bad(fmt.Sprintf("the state lists %d workers, but this loader has %d", max(len(s.Workers), len(s.Ended)),
			n))
	case s.Start.Own != nil && l.opts.generator == nil, s.Now.Own != nil && l.opts.generator == nil:
		return bad("the state belongs to a loader with a Generator, but this loader has none")
	case l.opts.generator != nil && s.Now.Default != nil && s.Now.Own == nil:
		return bad("the state belongs to a loader without a Generator, but this loader has one")
	case l.dataset != nil && s.Yielded > 0 && s.Batches > 0 && s.Batches != l.Len():
		return bad(fmt.Sprintf("the state belongs to an epoch of %d batches, but an epoch of this loader has %d; "+
			"create the loader with the same dataset, sampler and options", s.Batches, l.Len()))
	case s.Yielded > 0 && s.BatchSize != 0 && (s.BatchSize != int(l.opts.batchSize) || s.Shuffle != l.opts.shuffle):
		return bad(fmt.Sprintf("the state belongs to a loader with BatchSize(%d) and Shuffle(%t), but this loader has "+
			"BatchSize(%d) and Shuffle(%t)", s.BatchSize, s.Shuffle, int(l.opts.batchSize), l.opts.shuffle))
	case len(s.InFlight) > l.opts.prefetch*n:
		return bad(fmt.Sprintf("the state has %d batches in flight, but this loader makes %d at once", len(s.InFlight),
			l.opts.prefetch*n))
	}
	for _, w := range s.InFlight {
		if w < 0 || w >= n {
			return bad(fmt.Sprintf("invalid worker %d of %d", w, n))
		}
	}
	for _, w := range s.Workers {
		if w.Batches < 0 || !isState(w.Start) || !isState(w.Generator) {
			return bad("the state of a worker is invalid")
		}
	}
	for _, g := range []GeneratorStates{s.Start, s.Now} {
		if !isState(g.Default) || !isState(g.Own) {
			return bad("the state of a generator is invalid")
		}
		if n := len(l.generators); len(g.Others) != n && (g.Default != nil || g.Others != nil) {
			return bad(fmt.Sprintf("expected the states of %d generators of the sampler and the dataset, got %d; "+
				"create this loader with the same options as the loader that returned the state", n, len(g.Others)))
		}
		for k, state := range g.Others {
			if !isStateOf(l.generators[k].Device(), state) {
				return bad("the state of a generator is invalid")
			}
		}
	}
	l.lock()
	defer l.mu.Unlock()
	l.resume = &s
	l.workerGenerators = nil
	return nil
}

// workersOption returns Go code for the option that gives a loader n workers, for error
// messages.
func workersOption(n int) string {
	if n == 0 {
		return "no NumWorkers"
	}
	return fmt.Sprintf("NumWorkers(%d)", n)
}

// isState reports whether b is a valid state of a CPU generator.
func isState(b []byte) bool { return isStateOf(torch.CPU, b) }

func isStateOf(d torch.Device, b []byte) bool {
	return b == nil || torch.Try(func() { restore(torch.NewGenerator(d), b) }) == nil
}

// isBegun reports whether the state is a position within a loop, not between two loops.
func (s *LoaderState) isBegun() bool { return s.Start.Default != nil }

// enter restores the loader's generators to the states that they had before the epoch
// drew its first random number.
func (s *LoaderState) enter(l *Loader) {
	if s.isBegun() {
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

// restore sets the state of g to a result of generatorState. A nil state leaves g unchanged.
func restore(g *torch.Generator, state []byte) {
	if state == nil {
		return
	}
	torch.Scope(func() { g.SetState(torch.FromSliceWith(state, torch.Shape{int64(len(state))}, torch.CPU)) })
}
