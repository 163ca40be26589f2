package batching

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// worker is a goroutine that processes batches as long as there are any. It is started on
// demand, so that an idle batcher has none.
type worker struct {
	b       *Batcher
	todo    [][]*request // parts of a failed batch, in reverse order
	current []*request   // the requests in the running forward pass
	values  []float32    // the inputs or the results of a batch of values, for reuse
	timer   *time.Timer
}

// startWorker starts a worker. The caller holds the lock.
func (b *Batcher) startWorker() {
	b.workers++
	w := &worker{b: b}
	w.start()
}

func (w *worker) start() { go trace.For(w.b.madeAt, w.run) }

func (w *worker) run() {
	ended := true
	defer func() {
		if ended { // the forward pass called runtime.Goexit
			w.failed(torch.NewError("batching.NewBatcher", torch.ErrRuntime, "forward",
				"ended its goroutine (runtime.Goexit)"))
			w.start()
		}
	}()
	for w.next() {
		for len(w.todo) > 0 {
			last := len(w.todo) - 1
			w.current, w.todo = w.todo[last], w.todo[:last]
			if err := w.pass(); err != nil {
				w.failed(err)
			}
		}
	}
	ended = false
}

// next waits for a batch and takes it. If there is none, it returns false, and the
// worker ends.
func (w *worker) next() bool {
	if len(w.todo) > 0 {
		return true
	}
	b := w.b
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.queue.len > 0 && b.filling == nil {
		if wait := b.opts.maxDelay - time.Since(b.queue.first.start); b.opts.maxDelay > 0 && wait > 0 && !b.enough() {
			w.fill(wait)
			continue
		}
		w.todo = append(w.todo, b.take())
		return true
	}
	b.workers--
	b.checkDrained()
	return false
}

// take takes the next batch out of the queue. The caller holds the lock.
func (b *Batcher) take() []*request {
	b.crowd = min(b.queue.len, b.opts.maxBatch)
	batch, now := b.queue.take(b.opts.maxBatch, b.opts.maxQueue), time.Now()
	for _, r := range batch {
		b.stats.Waits.add(now.Sub(r.start).Seconds())
	}
	b.inPasses += len(batch)
	if b.queue.len > 0 && b.workers < b.opts.workers {
		b.startWorker()
	}
	return batch
}

// enough reports whether a batch may start before the delay is over. The caller holds
// the lock.
func (b *Batcher) enough() bool { return b.queue.len >= b.crowd || b.closed }

// fill waits until enough requests are present, or the oldest has waited long enough. It
// releases the lock while it waits.
func (w *worker) fill(wait time.Duration) {
	b, woken := w.b, make(chan struct{}, 1)
	if w.timer == nil {
		w.timer = time.NewTimer(wait)
	} else {
		w.timer.Reset(wait)
	}
	b.filling = woken
	b.mu.Unlock()
	select {
	case <-woken:
		w.timer.Stop()
	case <-w.timer.C:
	}
	b.mu.Lock()
	b.filling = nil
}

// wake wakes the waiting worker, if there is one. The caller holds the lock.
func (b *Batcher) wake() {
	select {
	case b.filling <- struct{}{}:
	default:
	}
}

// checkDrained signals Shutdown when no requests are left. The caller holds the lock.
func (b *Batcher) checkDrained() {
	if b.drained == nil || b.workers > 0 || b.queue.len > 0 {
		return
	}
	select {
	case <-b.drained:
	default:
		close(b.drained)
	}
}

// pass runs the forward pass of the current requests and answers them. If the pass
// fails, it answers none of them.
func (w *worker) pass() (err error) {
	var answers []answer
	returned := false
	defer func() {
		if returned {
			return
		}
		switch p := recover().(type) {
		case nil: // the function ended its goroutine with runtime.Goexit
		case *torch.Error:
			err = p
		default:
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	torch.NoGrad(func() {
		torch.Scope(func() {
			if w.current[0].inputs == nil {
				answers = w.floats()
			} else {
				answers = w.tensors()
			}
		})
	})
	returned = true
	w.deliver(answers)
	return nil
}

// tensors runs the forward pass of requests whose inputs are tensors, and returns their
// answers.
func (w *worker) tensors() []answer {
	n := len(w.current)
	xs := make([]*torch.Tensor, len(w.current[0].inputs))
	column := make([]*torch.Tensor, n)
	for i := range xs {
		for j, r := range w.current {
			column[j] = r.inputs[i]
		}
		xs[i] = torch.Stack(column)
	}
	ys := w.forward(xs)
	// Use new handles: the function may keep its own tensors.
	o := &outputs{tensors: make([]*torch.Tensor, len(ys))}
	for i, y := range ys {
		o.tensors[i] = y.Detach()
	}
	for _, y := range o.tensors {
		torch.Disown(y)
	}
	answers := make([]answer, n)
	for j := range answers {
		answers[j] = answer{outputs: o, row: int64(j)}
	}
	return answers
}

// floats runs the forward pass of requests whose inputs are Go values, and returns
// their answers.
func (w *worker) floats() []answer {
	n := len(w.current)
	w.values = w.values[:0]
	for _, r := range w.current {
		w.values = append(w.values, r.values...)
	}
	shape := append(torch.Shape{int64(n)}, w.current[0].kinds[0].shape...)
	ys := w.forward([]*torch.Tensor{torch.FromSliceWith(w.values, shape, torch.CPU)})
	if len(ys) != 1 {
		panic(severalResults("batching.Batcher.DoFloat32s", len(ys)))
	}
	all := ys[0].Float32s()
	width := len(all) / n
	answers := make([]answer, n)
	for j := range answers {
		answers[j].values = slices.Clone(all[j*width : (j+1)*width])
	}
	return answers
}

// forward calls the function and checks its results.
func (w *worker) forward(xs []*torch.Tensor) []*torch.Tensor {
	const op = "batching.NewBatcher"
	n := int64(len(w.current))
	ys := w.b.forward(xs)
	for i, y := range ys {
		if y == nil {
			panic(torch.NewError(op, torch.ErrNil, "forward", "returned a nil tensor"))
		}
		if y.IsClosed() {
			panic(torch.NewError(op, torch.ErrClosed, "forward", fmt.Sprintf("result %d is a closed tensor", i)))
		}
		if shape := y.Shape(); len(shape) == 0 || shape[0] != n {
			panic(torch.NewError(op, torch.ErrShape, "forward",
				fmt.Sprintf("result %d: expected a row for each of %d requests, got %v", i, n, shape)))
		}
	}
	return ys
}

// deliver gives each current request its answer.
func (w *worker) deliver(answers []answer) {
	b, now := w.b, time.Now()
	o := answers[0].outputs
	present := w.current[:0]
	b.mu.Lock()
	b.ran(len(w.current))
	for j, r := range w.current {
		if r.stage == gone {
			continue
		}
		r.stage, r.result = done, answers[j]
		if r.result.err == nil {
			b.stats.Answered++
			b.stats.Latency.add(now.Sub(r.start).Seconds())
		} else {
			b.stats.Failed++
		}
		present = append(present, r)
	}
	b.inPasses -= len(w.current)
	b.mu.Unlock()
	if o != nil {
		// The last reader frees the outputs, so that none are left when its call returns.
		o.readers.Store(int64(max(len(present), 1)))
		if len(present) == 0 {
			o.release()
		}
	}
	for _, r := range present {
		r.answered <- struct{}{}
	}
	clear(w.current)
	w.current = nil
}

// ran counts a forward pass of n requests. The caller holds the lock.
func (b *Batcher) ran(n int) {
	b.stats.Passes++
	b.stats.Sizes.add(float64(n))
}

// failed handles the current requests after their pass failed: a single request gets the
// error; several requests are tried again in halves.
func (w *worker) failed(err error) {
	b, all := w.b, len(w.current)
	if all == 1 {
		w.deliver([]answer{{err: err}})
		return
	}
	b.mu.Lock()
	b.ran(all)
	w.current = slices.DeleteFunc(w.current, func(r *request) bool { return r.stage == gone })
	n := len(w.current)
	b.inPasses -= all - n
	var parts [][]*request
	switch {
	case n == 0:
	// The pass may have failed because the caller of a removed request closed its input.
	// Repeat it with the other requests.
	case n < all:
		parts = [][]*request{w.current}
	default:
		parts = [][]*request{w.current[n/2:], w.current[:n/2]}
	}
	b.stats.Repeated += int64(len(parts))
	b.mu.Unlock()
	w.todo = append(w.todo, parts...)
	w.current = nil
}
