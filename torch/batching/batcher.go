package batching

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// Batcher answers the requests of many goroutines with few forward passes. [NewBatcher]
// makes one. A Batcher is safe for use by any number of goroutines.
type Batcher struct {
	forward func([]*torch.Tensor) []*torch.Tensor
	single  bool // forward comes from NewBatcher: it takes one tensor and returns one
	opts    settings
	// madeAt is the stack of the constructor's caller, to which leak reports attribute the
	// workers' tensors.
	madeAt trace.ID
	pool   sync.Pool // holds *request values for reuse

	mu       sync.Mutex
	queue    queue
	workers  int           // the number of worker goroutines
	filling  chan struct{} // wakes the worker whose batch is filling; nil if none
	crowd    int           // the number of requests present when the last batch was taken
	closed   bool
	drained  chan struct{} // closed after Shutdown when no requests are left
	stats    Stats
	inPasses int
}

// NewBatcher returns a Batcher that runs forward on each batch. x has shape (N, ...): the
// stacked inputs of N requests. The result must have shape (N, ...): a row for each
// request. forward runs without gradients (NoGrad) on a goroutine of the Batcher, in a
// scope that frees the tensors that it makes. It may change x in place. If [Workers] is
// more than 1, forward must be safe for use by several goroutines, as models in eval mode
// are. It must not call the Batcher's own methods, which could deadlock.
//
// The Batcher needs no Close to free memory, but Close waits for pending requests.
// NewBatcher panics with ErrNil for a nil forward or option, and with ErrValue for an
// option out of range.
func NewBatcher(forward func(x *torch.Tensor) *torch.Tensor, opts ...Option) *Batcher {
	const op = "batching.NewBatcher"
	if forward == nil {
		panic(torch.NilFunc(op, "forward"))
	}
	b := newBatcher(op, func(xs []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{forward(xs[0])} }, opts)
	if n := len(b.opts.shapes); n > 1 {
		panic(torch.NewError(op, torch.ErrValue, "InputShapes",
			fmt.Sprintf("got %d shapes, but the function takes one tensor; NewBatcherAll takes several", n)))
	}
	b.single = true
	return b
}

// NewBatcherAll is NewBatcher for a function of several tensors. xs are the stacked
// inputs in order; each result has a row for each request. It panics as NewBatcher does.
func NewBatcherAll(forward func(xs []*torch.Tensor) []*torch.Tensor, opts ...Option) *Batcher {
	const op = "batching.NewBatcherAll"
	if forward == nil {
		panic(torch.NilFunc(op, "forward"))
	}
	return newBatcher(op, forward, opts)
}

func newBatcher(op string, forward func([]*torch.Tensor) []*torch.Tensor, opts []Option) *Batcher {
	b := &Batcher{forward: forward, opts: readOptions(op, opts), madeAt: trace.Here(1), crowd: 1}
	b.pool.New = func() any { return &request{answered: make(chan struct{}, 1)} }
	b.stats.Sizes = newHistogram(sizeBounds(b.opts.maxBatch))
	b.stats.Waits, b.stats.Latency = newHistogram(timeBounds()), newHistogram(timeBounds())
	return b
}

// String returns the settings and the pending requests, such as "Batcher(max_batch=32,
// max_delay=2ms, max_queue=512, refuse_when_full=False, workers=1): 3 queued, 32
// running".
func (b *Batcher) String() string {
	if b == nil || b.forward == nil {
		return "Batcher(nil)"
	}
	s := b.Stats()
	return fmt.Sprintf(
		"Batcher(max_batch=%d, max_delay=%v, max_queue=%d, refuse_when_full=%s, workers=%d): %d queued, %d running",
		b.opts.maxBatch, b.opts.maxDelay, b.opts.maxQueue, tensorfmt.PyBool(b.opts.refuse), b.opts.workers,
		s.Queued+s.Blocked, s.Running)
}

// Stats returns statistics of the Batcher. All are zero for a Batcher that was not made
// by a constructor.
func (b *Batcher) Stats() Stats {
	if b == nil || b.forward == nil {
		return Stats{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	s.Queued = min(b.queue.len, b.opts.maxQueue)
	s.Blocked = b.queue.len - s.Queued
	s.Running = b.inPasses
	s.Sizes, s.Waits, s.Latency = s.Sizes.copied(), s.Waits.copied(), s.Latency.copied()
	return s
}

// Shutdown refuses new requests with [ErrClosed] and waits until the pending ones are
// answered. If ctx is done earlier, queued requests get ErrClosed and Shutdown returns an
// error; running forward passes finish by themselves. Shutdown returns ErrNil for a nil
// ctx and for a Batcher that was not made by a constructor. It may be called more than
// once.
func (b *Batcher) Shutdown(ctx context.Context) error {
	const op = "batching.Batcher.Shutdown"
	if b == nil || b.forward == nil {
		return notMade(op)
	}
	if ctx == nil {
		return nilContext(op)
	}
	b.mu.Lock()
	b.closed = true
	if b.drained == nil {
		b.drained = make(chan struct{})
		b.checkDrained()
	}
	b.wake()
	b.mu.Unlock()
	select {
	case <-b.drained:
		return nil
	case <-ctx.Done():
	}
	// If both channels were ready, the first select may have chosen ctx. The Batcher is
	// drained nevertheless.
	select {
	case <-b.drained:
		return nil
	default:
	}
	b.mu.Lock()
	var waiting []*request
	for r := b.queue.first; r != nil; r = b.queue.first {
		b.queue.remove(r)
		r.stage = done
		r.result = answer{err: refused(op, ErrClosed, "the batcher was shut down before the request ran")}
		waiting = append(waiting, r)
	}
	b.stats.Refused += int64(len(waiting))
	running := b.inPasses
	b.wake()
	b.mu.Unlock()
	for _, r := range waiting {
		r.answered <- struct{}{}
	}
	return fmt.Errorf("%w, with %d requests refused and %d in a forward pass", left(ctx, op), len(waiting), running)
}

// Close is Shutdown without a time limit. Closing twice, or closing nil, does nothing.
func (b *Batcher) Close() error {
	if b == nil || b.forward == nil {
		return nil
	}
	return b.Shutdown(context.Background())
}

// ask queues a request and waits for its answer. After an error the caller no longer owns
// the request.
func (b *Batcher) ask(ctx context.Context, op string, r *request) error {
	if ctx.Err() != nil { // the caller's context is done already
		b.count(&b.stats.Left)
		return left(ctx, op)
	}
	r.start = time.Now()
	b.mu.Lock()
	switch {
	case b.closed:
		b.stats.Refused++
		b.mu.Unlock()
		return refused(op, ErrClosed, "the batcher is closed")
	case b.opts.refuse && b.queue.len >= b.opts.maxQueue:
		b.stats.Refused++
		b.mu.Unlock()
		return refused(op, ErrQueueFull,
			fmt.Sprintf("requests already waiting: %d, the limit of MaxQueue", b.opts.maxQueue))
	}
	b.queue.push(r)
	switch {
	case b.filling != nil:
		if b.enough() {
			b.wake()
		}
	case b.workers < b.opts.workers:
		b.startWorker()
	}
	b.mu.Unlock()

	select {
	case <-r.answered:
	case <-ctx.Done():
		if b.leave(r) {
			return left(ctx, op)
		}
		// The request already has its answer, which has been sent or will be at any moment.
		<-r.answered
	}
	return nil
}

// leave removes a request whose caller stopped waiting. It returns false if the request
// already has its answer.
func (b *Batcher) leave(r *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch r.stage {
	case queued:
		b.queue.remove(r)
		// A worker may be waiting for this request's delay to end.
		b.wake()
	case running:
		r.stage = gone
	case gone, done:
		return false
	}
	b.stats.Left++
	return true
}

func (b *Batcher) count(n *int64) {
	b.mu.Lock()
	*n++
	b.mu.Unlock()
}
