package data

import (
	"context"

	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// producer makes the batches of one loop.
type producer interface {
	// next returns the next batch. The calling goroutine's innermost scope owns its
	// tensors. The bool is false at the end and after an error.
	next(ctx context.Context) (Example, bool, error)
	// close ends the goroutines of the producer and frees their batches. It reports whether all
	// of them have ended.
	close() (all bool)
}

// loaderRun is one loop over a loader.
type loaderRun struct {
	loader     *Loader
	ctx        context.Context // the loop's context: a loaderRun lives only during the loop
	op         string
	object     named.Object
	source     producer
	samplerErr error       // the error of the sampler before the first batch
	pool       *workerPool // the same as source if the loader has workers, otherwise nil

	yielded    int  // the number of batches that the loop has received
	ended      bool // whether the loop has received all batches
	closed     bool
	start      GeneratorStates // the generators' states before the epoch's first random number
	continuing bool            // whether the workers and their random numbers continue from the previous loop
	seed       int64
	// the states of the workers' generators at the start of the loop, if continuing is true
	workerStates []WorkerState
}

// directProducer makes batches on the loop's goroutine.
type directProducer struct {
	maker   *batchMaker
	indices *epoch
}

func (d directProducer) next(context.Context) (Example, bool, error) {
	indices, ok := d.indices.next()
	if !ok {
		return Example{}, false, nil
	}
	e, err := d.maker.load(d.indices.batches-1, indices)
	return e, err == nil, err
}

func (directProducer) close() bool { return true }

// begin begins a loop. If LoadStateDict was called, the loop begins at the position that it
// set.
func (l *Loader) begin(ctx context.Context, method string) *loaderRun {
	op := "data.Loader." + method
	l.mustBeMade(op)
	if ctx == nil {
		panic(torch.NewError(op, torch.ErrNil, "ctx", "a nil Context"))
	}
	if l.dataset != nil {
		mustBeDataset(op, l.dataset) // again, because the dataset's Len may have changed
	}
	l.lock()
	defer l.mu.Unlock()
	if l.opts.persistent && l.lastRun != nil && !l.lastRun.closed {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			"a loop with PersistentWorkers is still running; only one can run at a time"))
	}
	r := &loaderRun{loader: l, ctx: ctx, op: op}
	at := l.resume
	if at == nil {
		at = &LoaderState{}
	} else {
		at.enter(l)
	}
	r.start = l.generatorStates()
	r.seed, r.continuing = at.Seed, at.Continuing
	generators := l.workerGenerators
	switch {
	case generators != nil:
		r.seed, r.continuing = generators.seed, true
		r.workerStates = generators.states()
	case !r.continuing:
		// Draw a seed for the workers even if there are none, as Python does.
		r.seed = drawSeed(l.opts.generator)
		generators = newWorkerGenerators(l.opts.workers, r.seed)
	default:
		generators = newWorkerGenerators(l.opts.workers, r.seed)
		r.workerStates = at.Workers
	}
	r.samplerErr = r.setSource(at, generators)
	if l.resume != nil {
		if at.isBegun() {
			at.Now.restore(l)
		}
		l.resume = nil
	}
	if l.opts.persistent {
		l.workerGenerators = generators
	}
	l.lastRun = r
	r.object = named.Made(named.Loops) // last, because the sampler may end this goroutine
	return r
}

// setSource sets r.source. The source continues after the batches that a previous loop has
// received. If the sampler panics, setSource returns the panic as an error.
func (r *loaderRun) setSource(at *LoaderState, generators *workerGenerators) error {
	l := r.loader
	r.yielded = at.Yielded
	m := &batchMaker{dataset: l.dataset, stream: l.stream, opts: &l.opts, worker: -1}
	m.currentExample.Store(-1)
	forever := func() ([]int64, bool) { return nil, true }
	if l.stream != nil && l.opts.workers == 0 {
		// The new loop must first skip the examples that the previous loop received. It
		// reads them once more, with the random numbers of the previous loop.
		then, now := l.generatorStates(), GeneratorStates{}
		r.source = newStreamProducer(m, l.madeAt, at.Yielded, func() {
			now = l.generatorStates()
			then.restore(l)
		}, func() { now.restore(l) })
		return nil
	}
	next := forever
	if l.dataset != nil {
		indices := l.indices()
		err := tryTo(func() error {
			for more, k := true, 0; more && k < at.Yielded; k++ {
				_, more = indices.next()
			}
			return nil
		})
		if l.opts.workers == 0 {
			r.source = directProducer{m, indices}
			return err
		}
		if err != nil {
			return err
		}
		next = indices.next
	}
	r.pool = newPool(l, next, at.Workers, at.Ended, generators)
	r.source = r.pool
	started := false
	defer func() {
		if !started { // the sampler has called runtime.Goexit
			r.pool.close()
		}
	}()
	err := tryTo(func() error {
		r.pool.start(at)
		return nil
	})
	started = true
	return err
}

// next returns the next batch. The innermost scope owns the batch's tensors.
func (r *loaderRun) next() (b Batch, ok bool, err error) {
	if r.ended || r.closed {
		return Batch{}, false, nil
	}
	var e Example
	if err = r.samplerErr; err == nil {
		err = tryTo(func() (err error) {
			e, ok, err = r.source.next(r.ctx)
			return err
		})
	}
	if err != nil {
		r.close()
		return Batch{}, false, torch.WrapError(r.op, err)
	}
	if !ok {
		r.ended = r.ctx.Err() == nil
		return Batch{}, false, nil
	}
	r.yielded++
	return Batch{Example: e, Index: r.yielded - 1}, true, nil
}

func (r *loaderRun) close() {
	if r.closed {
		return
	}
	all := r.source == nil || r.source.close()
	r.loader.lock()
	defer r.loader.mu.Unlock()
	r.closed = true
	r.object.Gone()
	if !all {
		r.loader.workerGenerators = nil // a worker may still use its generator, so the next loop must not
	}
}
