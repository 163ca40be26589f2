package data

import (
	"context"
	"sync"
	"time"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// workerPool makes the batches of one loop on workers. It distributes the work as
// Python's DataLoader does. The loop's goroutine takes indices from the sampler,
// PrefetchFactor batches ahead for each worker, and assigns them in turn: worker k modulo
// the number of workers makes batch k, with its own random numbers.
//
// newPool starts the workers, start sends the first tasks, next returns the batches, and
// close ends the workers. Only one goroutine at a time, the loop's, calls these methods.
// It shares with the workers their task queues, the channel results, and the field
// closed.
type workerPool struct {
	opts    *loaderSettings
	indices func() ([]int64, bool) // returns the indices of the next batch
	workers []*worker
	results chan result // has room for all batches in flight, so that no worker blocks when it sends a result

	sent, received int            // the number of tasks sent; the task whose result the loop gets next
	tasks          map[int]int    // for each task that the loop has not received, its worker
	earlyResults   map[int]result // results that arrived before the loop needed them, by number of task
	numTasks       []int          // for each worker, the number of its tasks
	ended          []bool         // for each worker, whether its stream has ended
	nextWorker     int            // the worker that gets the next task
	exhausted      bool           // the sampler has no more batches
	states         []WorkerState  // the states of the workers after the batches that the loop has received
	timedOut       *TimeoutError  // the timeout that ended the loop, if any

	mu     sync.Mutex // guards closed, and is held while a result is sent
	closed bool       // the loop has ended, so workers free their results instead of sending them
}

// task is a batch to make; result is its outcome.
type (
	task struct {
		id      int
		indices []int64
	}
	result struct {
		ownedBatch
		task, worker int
		end          bool // the worker's stream has no more examples
		err          error
		state        []byte // the state of the worker's generator after the batch
	}
)

// newPool starts the workers of a loop. They wait until the method start sends them tasks.
func newPool(l *Loader, indices func() ([]int64, bool), states []WorkerState, ended []bool,
	generators *workerGenerators,
) *workerPool {
	n := l.opts.workers
	p := &workerPool{
		opts: &l.opts, indices: indices, results: make(chan result, (l.opts.prefetch+1)*n),
		tasks: map[int]int{}, earlyResults: map[int]result{}, numTasks: make([]int, n), ended: make([]bool, n),
		states: make([]WorkerState, n),
	}
	copy(p.states, states)
	copies := sideStream(l.opts.device)
	inherit := own.Inherit(false) // false, because each worker has a generator of its own
	for id := range n {
		w := &worker{
			batchMaker: batchMaker{dataset: l.dataset, stream: l.stream, opts: &l.opts, worker: id, copies: copies},
			pool:       p, info: WorkerInfo{ID: id, NumWorkers: n, Seed: generators.seed + int64(id)},
			gen: generators.all[id], init: !generators.isBegun, tasks: newTaskQueue(), done: make(chan struct{}),
		}
		w.currentExample.Store(-1)
		restore(w.gen, p.states[id].Start)
		w.state = p.states[id].Generator
		if l.stream != nil && (len(ended) == 0 || !ended[id]) {
			w.skip = p.states[id].Batches
		} else {
			restore(w.gen, w.state)
		}
		p.workers = append(p.workers, w)
	}
	generators.isBegun = true
	for _, w := range p.workers {
		go trace.For(l.madeAt, func() { w.work(inherit) })
	}
	return p
}

// start sends the first tasks to the workers. If at is a position within a loop, these
// are the tasks that the previous loop had in flight. Otherwise start sends as many tasks
// as the workers' queues may hold.
func (p *workerPool) start(at *LoaderState) {
	p.sent, p.received, p.nextWorker = at.Yielded, at.Yielded, at.NextWorker
	copy(p.ended, at.Ended)
	if at.Yielded == 0 {
		p.fillQueues()
		return
	}
	for _, w := range at.InFlight {
		indices, ok := p.indices()
		if !ok {
			return
		}
		p.sendTo(w, indices)
	}
	if at.Exhausted {
		_, ok := p.indices() // ask once more, because the sampler may draw random numbers at its end
		p.exhausted = !ok
	}
}

func (p *workerPool) fillQueues() {
	for range p.opts.prefetch * len(p.workers) {
		p.sendNext()
	}
}

// sendNext sends the task for the next batch to the worker whose turn it is.
func (p *workerPool) sendNext() {
	indices, ok := p.indices()
	if p.exhausted = !ok; !ok {
		return
	}
	active := 0
	for _, ended := range p.ended {
		if !ended {
			active++
		}
	}
	for range p.workers {
		w := p.nextWorker
		p.nextWorker = (w + 1) % len(p.workers)
		if !p.ended[w] && (p.opts.inOrder || p.numTasks[w] < p.opts.prefetch*len(p.workers)/active) {
			p.sendTo(w, indices)
			return
		}
	}
}

func (p *workerPool) sendTo(w int, indices []int64) {
	p.tasks[p.sent] = w
	p.numTasks[w]++
	p.workers[w].tasks.put(task{p.sent, append([]int64(nil), indices...)})
	p.sent++
}

func (p *workerPool) next(ctx context.Context) (Example, bool, error) {
	for {
		// Skip tasks whose workers have reached the end of their streams: they have no
		// result.
		for p.received < p.sent {
			w, there := p.tasks[p.received]
			if _, came := p.earlyResults[p.received]; there && (came || !p.ended[w]) {
				break
			}
			delete(p.tasks, p.received)
			p.received++
		}
		if p.received == p.sent {
			return Example{}, false, nil
		}
		r, came := p.earlyResults[p.received]
		if !came {
			var err error
			if r, err = p.wait(ctx); err != nil {
				if ctx.Err() != nil {
					err = nil
				}
				return Example{}, false, err
			}
			if p.opts.inOrder && r.task != p.received {
				p.earlyResults[r.task] = r
				continue
			}
		}
		delete(p.earlyResults, r.task)
		delete(p.tasks, r.task)
		if r.end {
			p.ended[r.worker] = true
			p.states[r.worker].Generator = r.state
			p.sendNext()
			continue
		}
		p.numTasks[r.worker]--
		if r.err != nil {
			return Example{}, false, r.err
		}
		e := r.adopt()
		p.states[r.worker].Batches++
		p.states[r.worker].Generator = r.state
		p.sendNext()
		return e, true, nil
	}
}

// wait returns the next result. It returns an error if the result takes too long, or when
// ctx is done. If a result arrives just when ctx is done, it stays in the pool.
func (p *workerPool) wait(ctx context.Context) (result, error) {
	r, err := p.receive(ctx)
	if err == nil && ctx.Err() != nil {
		p.earlyResults[r.task] = r
		return result{}, ctx.Err()
	}
	return r, err
}

func (p *workerPool) receive(ctx context.Context) (result, error) {
	select {
	case r := <-p.results:
		return r, nil
	default:
	}
	var r result
	var err error
	own.Idle(func() { r, err = p.receiveInTime(ctx) })
	return r, err
}

func (p *workerPool) receiveInTime(ctx context.Context) (result, error) {
	var timeout <-chan time.Time
	if p.opts.timeout > 0 {
		timer := time.NewTimer(p.opts.timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case r := <-p.results:
		return r, nil
	case <-ctx.Done():
		return result{}, ctx.Err()
	case <-timeout:
		w := p.tasks[p.received]
		p.timedOut = &TimeoutError{
			Worker: w, Batch: p.received, Index: p.workers[w].currentExample.Load(), After: p.opts.timeout,
		}
		return result{}, p.timedOut
	}
}

// closeTimeout is how long an ending loop waits for hanging workers if no Timeout is set.
const closeTimeout = 5 * time.Second

// close ends the workers and frees their batches. A second call returns true.
func (p *workerPool) close() (all bool) {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if again {
		return true
	}
	for _, w := range p.workers {
		// a persistent worker finishes its batches, so that its generator advances as in
		// Python
		if !p.opts.persistent {
			w.stopped.Store(true)
		}
		w.tasks.close()
	}
	limit := closeTimeout
	if p.opts.timeout > 0 {
		limit = p.opts.timeout
	}
	own.Idle(func() { all = p.join(limit) })
	for len(p.results) > 0 { // after closed is set, nothing is sent
		closeAll((<-p.results).owned)
	}
	for id, r := range p.earlyResults {
		closeAll(r.owned)
		delete(p.earlyResults, id)
	}
	return all
}

// join waits for the workers to end, but at most for the given time. It does not wait for
// a worker that timed out. It reports whether all workers have ended.
func (p *workerPool) join(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	all := true
	for id, w := range p.workers {
		if w.hasEnded() {
			continue
		}
		if p.timedOut != nil && p.timedOut.Worker == id {
			all = false
			continue
		}
		select {
		case <-w.done:
		case <-timer.C:
			all = false
			timer.Reset(0)
		}
	}
	return all
}

// send passes a result to the loop. If the loop has ended, send frees the result instead.
func (p *workerPool) send(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		closeAll(r.owned)
		return
	}
	p.results <- r
}
