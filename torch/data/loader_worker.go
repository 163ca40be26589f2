package data

import (
	"errors"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// worker is one worker of a pool, which has its own goroutine.
type worker struct {
	batchMaker
	pool  *workerPool
	info  WorkerInfo
	gen   *torch.Generator // the generator that this worker draws from
	init  bool             // whether the WorkerInitFn must still be called
	skip  int              // the number of the stream's batches that an earlier loop has received
	state []byte           // the state of gen after the last batch; nil if gen has drawn nothing since the epoch began
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

// errWorkerGone is the error of a worker whose goroutine ended because a dataset or an
// option's function called runtime.Goexit.
var errWorkerGone = errors.New("runtime.Goexit was called")

// work is the function that runs on the worker's goroutine. It calls inherit so that the
// goroutine has the settings of the goroutine that began the loop.
func (w *worker) work(inherit func(fn func())) {
	defer close(w.done)
	current, finished := -1, false
	defer func() {
		if !finished && current >= 0 {
			err := w.batchError(current, w.currentExample.Load(), errWorkerGone)
			w.pool.send(result{task: current, worker: w.info.ID, err: err})
		}
	}()
	err := tryTo(func() error {
		inherit(func() {
			w.info.runWith(func() {
				torch.WithNumThreads(1, func() { w.serve(&current) })
			})
		})
		return nil
	})
	finished = true
	if err != nil && current >= 0 {
		w.pool.send(result{task: current, worker: w.info.ID, err: w.batchError(current, -1, err)})
	}
}

// serve makes batches until there are no more tasks. It sets *current to the number of the
// current batch.
func (w *worker) serve(current *int) {
	if w.stream != nil {
		if t, ok := w.tasks.take(); ok {
			*current = t.id
			w.serveStream(current)
		}
		return
	}
	for t, ok := w.tasks.take(); ok; t, ok = w.tasks.take() {
		*current = t.id
		w.makeBatch(t)
	}
}

// changedState returns the state of the worker's generator, or nil if it is unchanged since
// the epoch began. Reading the state takes longer than making a small batch, so
// changedState reads it only if the generator was used since the last call.
func (w *worker) changedState() []byte {
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
	return tryTo(func() error {
		var err error
		torch.Scope(func() { err = w.opts.workerInit(w.info) })
		return err
	})
}

// makeBatch makes the batch of a task and sends it to the loop.
func (w *worker) makeBatch(t task) {
	if w.stopped.Load() {
		return
	}
	r := result{task: t.id, worker: w.info.ID}
	torch.WithGenerator(w.gen, func() {
		own.Drew() // forgets uses of the generator before this batch
		if r.err = w.batchError(t.id, -1, w.begin()); r.err != nil {
			return
		}
		torch.Scope(func() {
			if r.example, r.err = w.load(t.id, t.indices); r.err == nil {
				r.owned, r.pendingCopy = r.example.disown(), w.pendingCopy
			}
		})
		r.state = w.changedState()
	})
	w.pool.send(r)
}

// serveStream makes the batches of a stream, one for each task, and reports the end of the
// stream. *current is the first task, which the caller has taken from the queue.
func (w *worker) serveStream(current *int) {
	err := tryTo(func() (err error) {
		torch.WithGenerator(w.gen, func() {
			own.Drew() // forgets uses of the generator before this batch
			if err = w.batchError(*current, -1, w.begin()); err != nil {
				return
			}
			s := streamBatcher{batchMaker: &w.batchMaker, skip: w.skip, number: *current - w.skip}
			resumed := w.state
			s.afterSkip = func() {
				restore(w.gen, resumed)
				w.state = resumed
			}
			s.emit = func(b ownedBatch) bool {
				w.pool.send(result{ownedBatch: b, task: *current, worker: w.info.ID, state: w.changedState()})
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
			w.changedState()
		})
		return err
	})
	w.pool.send(result{task: *current, worker: w.info.ID, end: err == nil, err: err, state: w.state})
	for more := true; more; { // discard the remaining tasks; the loop does not wait for their results
		_, more = w.tasks.take()
	}
}

// workerGenerators holds the random generators of a loop's workers. With PersistentWorkers
// the workers of the next loop continue to draw from these generators.
type workerGenerators struct {
	seed    int64
	all     []*torch.Generator // by the numbers of the workers
	isBegun bool               // whether a loop has used them, so that WorkerInitFn was called
}

func newWorkerGenerators(n int, seed int64) *workerGenerators {
	g := &workerGenerators{seed: seed}
	for id := range n {
		g.all = append(g.all, torch.NewGenerator(torch.CPU).ManualSeed(uint64(seed+int64(id))))
	}
	return g
}

// states returns one WorkerState per worker. Its Start is the current state of the worker's
// generator.
func (g *workerGenerators) states() (all []WorkerState) {
	for _, gen := range g.all {
		all = append(all, WorkerState{Start: generatorState(gen)})
	}
	return all
}
