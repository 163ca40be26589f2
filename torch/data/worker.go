package data

import (
	"errors"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// worker is one goroutine of a pool.
type worker struct {
	maker
	pool  *pool
	info  WorkerInfo
	gen   *torch.Generator // the generator that this worker draws from
	init  bool             // the WorkerInitFn has not been called yet
	skip  int              // batches of a stream that an earlier loop has received
	state []byte           // of gen, after the last batch
	tasks *taskQueue
	done  chan struct{}
}

func (w *worker) hasEnded() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// errGone is the error of a worker whose goroutine was ended by a function of the
// program.
var errGone = errors.New("runtime.Goexit was called")

// work is the worker's goroutine.
func (w *worker) work(inherit func(fn func())) {
	defer close(w.done)
	current, finished := -1, false
	defer func() {
		if !finished && current >= 0 {
			w.pool.send(result{task: current, worker: w.info.ID, err: w.failure(current, w.at.Load(), errGone)})
		}
	}()
	err := caught(func() error {
		inherit(func() {
			w.info.within(func() {
				torch.WithNumThreads(1, func() { w.serve(&current) })
			})
		})
		return nil
	})
	finished = true
	if err != nil && current >= 0 {
		w.pool.send(result{task: current, worker: w.info.ID, err: w.failure(current, -1, err)})
	}
}

// serve makes batches until there are no more tasks. current is the number of the current
// batch.
func (w *worker) serve(current *int) {
	if w.stream != nil {
		if t, ok := w.tasks.take(); ok {
			*current = t.id
			w.streamed(current)
		}
		return
	}
	for t, ok := w.tasks.take(); ok; t, ok = w.tasks.take() {
		*current = t.id
		w.answer(t)
	}
}

// drawn returns the state of the worker's generator, or nil if it is unchanged since the
// epoch began. Getting the state costs more than making a small batch, so drawn does it
// only after a draw.
func (w *worker) drawn() []byte {
	if own.Drew() {
		w.state = generatorState(w.gen)
	}
	return w.state
}

// begin calls the WorkerInitFn if it has not been called yet.
func (w *worker) begin() error {
	if !w.init || w.opts.workerInit == nil {
		return nil
	}
	w.init = false
	return caught(func() error {
		var err error
		torch.Scope(func() { err = w.opts.workerInit(w.info) })
		return err
	})
}

// answer makes one batch.
func (w *worker) answer(t task) {
	if w.stopped.Load() {
		return
	}
	r := result{task: t.id, worker: w.info.ID}
	torch.WithGenerator(w.gen, func() {
		own.Drew() // nothing yet
		if r.err = w.failure(t.id, -1, w.begin()); r.err != nil {
			return
		}
		torch.Scope(func() {
			if r.e, r.err = w.load(t.id, t.indices); r.err == nil {
				r.owned, r.ready = r.e.disowned(), w.ready
			}
		})
		r.state = w.drawn()
	})
	w.pool.send(r)
}

// streamed makes the batches of a stream, one for each task, and reports its end. The
// first task has arrived.
func (w *worker) streamed(current *int) {
	err := caught(func() (err error) {
		torch.WithGenerator(w.gen, func() {
			own.Drew() // nothing yet
			if err = w.failure(*current, -1, w.begin()); err != nil {
				return
			}
			s := streaming{maker: &w.maker, skip: w.skip, number: *current - w.skip}
			resumed := w.state
			s.after = func() {
				restore(w.gen, resumed)
				w.state = resumed
			}
			s.emit = func(b made) bool {
				w.pool.send(result{made: b, task: *current, worker: w.info.ID, state: w.drawn()})
				var t task
				var ok bool
				own.Idle(func() { t, ok = w.tasks.take() })
				if ok {
					*current = t.id
				}
				s.number = *current
				return ok && !w.stopped.Load()
			}
			err = s.run(w.info)
			w.drawn()
		})
		return err
	})
	w.pool.send(result{task: *current, worker: w.info.ID, end: err == nil, err: err, state: w.state})
	for more := true; more; { // which the loop drops
		_, more = w.tasks.take()
	}
}

// crew is the part of workers that outlives a loop: their random generators.
type crew struct {
	seed       int64
	generators []*torch.Generator
	begun      bool
}

func newCrew(n int, seed int64) *crew {
	c := &crew{seed: seed}
	for id := range n {
		c.generators = append(c.generators, torch.NewGenerator(torch.CPU).ManualSeed(uint64(seed+int64(id))))
	}
	return c
}
