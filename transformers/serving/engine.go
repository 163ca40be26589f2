package serving

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// Errors of a request.
var (
	// ErrBusy means that too many requests wait.
	ErrBusy = errors.New("serving: too many requests wait")
	// ErrClosed means that the engine was closed before the request was done.
	ErrClosed = errors.New("serving: the engine is closed")
)

// An Option is an option of [NewEngine].
//
//gotorch:options CacheTokens MaxBatch MaxQueue PrefillTokens
type Option interface{ option() }

// CacheTokens is the number of tokens, of all texts, whose keys and values the engine has
// memory for, by default 16384.
type CacheTokens int64

// MaxBatch is the largest number of texts that are generated at a time, or whose embeddings are
// computed at a time, by default 32.
type MaxBatch int

// MaxQueue is the largest number of requests that wait, by default 1024.
type MaxQueue int

// PrefillTokens is the largest number of tokens of prompts that a step passes through the
// model, by default 256. More finish prompts sooner, and delay the texts in progress more.
type PrefillTokens int

// An Engine generates texts for many clients at once. Goroutines may share it.
type Engine struct {
	m             models.CausalLM
	pool          *kvcache.Pool
	batch, prefil int
	most          int // of the queue

	mu               sync.Mutex
	wake             *sync.Cond
	waiting          []*request
	active           []*request
	draining, closed bool
	done             chan struct{}
	stats            Stats
}

// Stats are the counts since an engine was made, and its present state.
type Stats struct {
	Requests  int64 // requests, also refused ones
	Refused   int64 // requests that found the queue full
	Finished  int64 // requests that got all their tokens
	Cancelled int64 // requests whose context ended

	PromptTokens int64 // tokens of the prompts of requests that left the queue
	NewTokens    int64 // generated tokens
	Steps        int64 // passes through the model

	Waiting int // requests in the queue
	Active  int // requests that are in the cache

	CacheTokens int64 // tokens for which the cache has memory
	CacheFree   int64 // tokens for which it has free pages
	CacheBytes  int64 // the memory of the cache
}

// NewEngine starts an engine for a model on the CPU, which should be in evaluation mode. It
// allocates the cache. The caller closes the engine, then the model. NewEngine panics with
// ErrNil for a nil option, with ErrValue for an invalid one, and with ErrOutOfMemory.
func NewEngine(m models.CausalLM, opts ...Option) *Engine {
	const op = "serving.NewEngine"
	e := &Engine{m: m, batch: 32, most: 1024, prefil: 256, done: make(chan struct{})}
	tokens := int64(16384)
	for _, o := range opts {
		var value int64
		switch o := o.(type) {
		case CacheTokens:
			tokens, value = int64(o), int64(o)
		case MaxBatch:
			e.batch, value = int(o), int64(o)
		case MaxQueue:
			e.most, value = int(o), int64(o)
		case PrefillTokens:
			e.prefil, value = int(o), int64(o)
		default:
			panic(torch.BadOption(op, o))
		}
		if value < 1 || value > 1<<30 {
			panic(torch.NewError(op, torch.ErrValue, fmt.Sprintf("%T", o),
				fmt.Sprintf("expected a positive number, got %d", value)))
		}
	}
	e.wake = sync.NewCond(&e.mu)
	e.pool = kvcache.NewPool(m.CacheSpec(), tokens)
	go e.run()
	return e
}

// request is a text that is generated.
type request struct {
	ctx     context.Context
	prompt  []int64
	c       generation.Config
	sampler *generation.Sampler
	text    *kvcache.Text
	fresh   []int64
	out     chan int64 // with room for all tokens, so the engine never waits for a client
	err     error      // read after out is closed
}

// total is the number of tokens whose keys and values the request needs.
func (r *request) total() int64 { return int64(len(r.prompt)+r.c.MaxNewTokens) - 1 }

// Submit continues a prompt and yields the new tokens, as generation.Stream does and with
// its options, except UseCache. PrefillChunkSize has no effect: see [PrefillTokens]. Sampling
// draws from a generator of the request, with the given seed. The request starts with the
// loop over the result; leaving the loop cancels it. Each loop is a new request.
//
// An error is yielded last: ctx.Err(), generation.ErrTooLong for a text that the model or
// the cache can never hold, [ErrBusy], [ErrClosed], or the error of the forward pass. Submit
// panics with ErrNil for a nil option, with ErrValue for invalid options and an empty
// prompt, and with ErrIndex for a token outside the vocabulary.
func (e *Engine) Submit(ctx context.Context, prompt []int64, seed uint64, opts ...generation.Option,
) iter.Seq2[int64, error] {
	const op = "serving.Engine.Submit"
	c := generation.ReadStream(op, opts)
	if c.Cache() != nil {
		panic(torch.NewError(op, torch.ErrValue, "UseCache", "the engine has its own cache"))
	}
	if len(prompt) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "prompt", "it has no tokens"))
	}
	for i, id := range prompt {
		if id < 0 || id >= e.m.VocabSize() {
			panic(torch.NewError(op, torch.ErrIndex, "prompt",
				fmt.Sprintf("token %d is %d; the vocabulary has %d", i, id, e.m.VocabSize())))
		}
	}
	return func(yield func(int64, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &request{ctx: ctx, prompt: prompt, c: c, sampler: generation.NewSampler(c, seed)}
		if err := e.enqueue(r); err != nil {
			yield(0, err)
			return
		}
		// The engine notices the end of ctx in its next step.
		stop := context.AfterFunc(ctx, e.wakeUp)
		defer stop()
		for {
			select {
			case id, ok := <-r.out:
				if !ok && r.err != nil {
					yield(0, r.err)
				}
				if !ok || !yield(id, nil) {
					return
				}
			case <-ctx.Done(): // without waiting for the engine
				yield(0, ctx.Err())
				return
			}
		}
	}
}

func (e *Engine) enqueue(r *request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Requests++
	total, most := r.total(), e.MaxLength()-1
	switch {
	case e.closed, e.draining:
		return ErrClosed
	case total > most:
		return fmt.Errorf("%w: %d tokens of the prompt and %d new ones; at most %d fit", generation.ErrTooLong,
			len(r.prompt), r.c.MaxNewTokens, most+1)
	case len(e.waiting) >= e.most:
		e.stats.Refused++
		return fmt.Errorf("%w: %d", ErrBusy, len(e.waiting))
	}
	r.out = make(chan int64, r.c.MaxNewTokens)
	e.waiting = append(e.waiting, r)
	e.wake.Broadcast()
	return nil
}

func (e *Engine) wakeUp() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wake.Broadcast()
}

// MaxLength returns the largest number of tokens of a prompt and its continuation together
// that the model and the cache can hold.
func (e *Engine) MaxLength() int64 { return min(e.m.MaxLength(), e.pool.Tokens()) + 1 }

// Stats returns the counts and the present state.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.Waiting, s.Active = len(e.waiting), len(e.active)
	s.CacheTokens, s.CacheFree, s.CacheBytes = e.pool.Tokens(), e.pool.Free(), e.pool.Bytes()
	return s
}

// Close ends all requests with [ErrClosed] and frees the cache. It returns when the model is
// no longer in use.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.wake.Broadcast()
	e.mu.Unlock()
	<-e.done
	return nil
}

// Drain refuses new requests with [ErrClosed], waits until all others are done or ctx ends,
// and closes the engine. The error is ctx.Err() if ctx ended before.
func (e *Engine) Drain(ctx context.Context) error {
	e.mu.Lock()
	e.draining = true
	idle := func() bool { return len(e.waiting)+len(e.active) == 0 }
	stop := context.AfterFunc(ctx, func() { e.mu.Lock(); defer e.mu.Unlock(); e.wake.Broadcast() })
	for !idle() && ctx.Err() == nil && !e.closed {
		e.wake.Wait()
	}
	stop()
	e.closed = true
	e.mu.Unlock()
	return errors.Join(ctx.Err(), e.Close())
}

// run is the goroutine of the engine.
func (e *Engine) run() {
	defer close(e.done)
	defer func() { _ = e.pool.Close() }()
	for e.admit() {
		e.step()
	}
	for _, r := range slices.Concat(e.active, e.waiting) {
		e.end(r, ErrClosed)
	}
}

// end closes a request that is not in the lists any more.
func (e *Engine) end(r *request, err error) {
	if r.text != nil {
		_ = r.text.Close()
	}
	r.err = err
	close(r.out)
}

// admit drops the requests whose context has ended and moves waiting ones to the active
// list while there is room. It waits until there is work, and returns false after Close.
func (e *Engine) admit() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		if e.closed {
			return false
		}
		cancelled := func(r *request) bool {
			if r.ctx.Err() == nil {
				return false
			}
			e.stats.Cancelled++
			e.end(r, r.ctx.Err())
			return true
		}
		e.waiting = slices.DeleteFunc(e.waiting, cancelled)
		e.active = slices.DeleteFunc(e.active, cancelled)
		for len(e.waiting) > 0 && len(e.active) < e.batch {
			r := e.waiting[0]
			text, err := e.pool.NewText(r.total())
			if err != nil {
				break // in order: the next one must not overtake it for ever
			}
			r.text = text
			e.waiting = e.waiting[1:]
			e.active = append(e.active, r)
			e.stats.PromptTokens += int64(len(r.prompt))
		}
		if len(e.active) > 0 {
			return true
		}
		e.wake.Broadcast() // Drain may wait
		e.wake.Wait()
	}
}
