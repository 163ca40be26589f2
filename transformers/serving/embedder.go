package serving

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
)

// An EmbedderOption is an option of [NewEmbedder].
//
//gotorch:options BatchTokens MaxBatch MaxTexts
type EmbedderOption interface{ embedderOption() }

// BatchTokens is the largest number of tokens of a batch, padding included, by default 4096. A
// longer text is refused.
type BatchTokens int

// MaxTexts is the largest number of texts of requests in progress, by default 4096.
type MaxTexts int

// An Embedder computes embeddings of texts for many clients at once. One goroutine runs the
// model. Each batch has texts of similar length, of several requests if there are any, and
// requests take turns. Goroutines may share it.
type Embedder struct {
	m           *transformers.SentenceTransformer
	batch, most int
	tokens      int

	mu               sync.Mutex
	wake             *sync.Cond
	waiting          []*embedRequest // those with texts that are not in a batch yet
	inUse            int             // texts of requests in progress
	running          int             // requests in progress
	draining, closed bool
	done             chan struct{}
	stats            EmbedderStats
}

// EmbedderStats are the counts since an embedder was made, and its present state.
type EmbedderStats struct {
	Requests  int64 // requests, also refused ones
	Refused   int64 // requests for which there was no room
	Cancelled int64 // requests whose context ended
	Texts     int64 // texts whose embeddings were computed
	Tokens    int64 // their tokens, without padding
	Batches   int64 // passes through the model
	InUse     int   // texts of requests in progress
}

// NewEmbedder starts an embedder for a model. The caller closes the embedder, then the model. By
// default [MaxBatch] is 32. NewEmbedder panics with ErrNil for a nil option, and with ErrValue
// for an invalid one.
func NewEmbedder(m *transformers.SentenceTransformer, opts ...EmbedderOption) *Embedder {
	const op = "serving.NewEmbedder"
	e := &Embedder{m: m, batch: 32, most: 4096, tokens: 4096, done: make(chan struct{})}
	for _, o := range opts {
		var value *int
		switch o := o.(type) {
		case BatchTokens:
			e.tokens, value = int(o), &e.tokens
		case MaxBatch:
			e.batch, value = int(o), &e.batch
		case MaxTexts:
			e.most, value = int(o), &e.most
		default:
			panic(torch.BadOption(op, o))
		}
		if *value < 1 || *value > 1<<30 {
			panic(torch.NewError(op, torch.ErrValue, fmt.Sprintf("%T", o),
				fmt.Sprintf("expected a positive number, got %d", *value)))
		}
	}
	e.wake = sync.NewCond(&e.mu)
	go e.run()
	return e
}

// embedRequest are the texts of a call.
type embedRequest struct {
	ctx   context.Context
	texts []transformers.Tokens
	left  []int // those that are not in a batch yet, the longest first
	open  int   // those without an embedding
	out   [][]float32
	err   error
	done  chan struct{} // closed when out or err is set
}

// Embed returns the embeddings of texts, in order. The error is ctx.Err(), [ErrBusy], [ErrClosed],
// generation.ErrTooLong for a text of more than [Embedder.MaxLength] tokens, an error of
// SentenceTransformer.EncodeTokens, or the model's.
func (e *Embedder) Embed(ctx context.Context, texts []transformers.Tokens) ([][]float32, error) {
	if err := e.reserve(len(texts)); err != nil {
		return nil, err
	}
	defer e.release(len(texts))
	return e.embed(ctx, texts)
}

// MaxLength returns the largest number of tokens of a text.
func (e *Embedder) MaxLength() int64 { return min(e.m.MaxSeqLength, int64(e.tokens)) }

// reserve takes the places of n texts. They are taken until the answer has left the process, so
// that the answers in memory are no more than that.
func (e *Embedder) reserve(n int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Requests++
	switch {
	case e.closed, e.draining:
		return ErrClosed
	case n > e.most:
		return torch.NewError("serving.Embedder.Embed", torch.ErrValue, "texts",
			fmt.Sprintf("expected at most %d, got %d", e.most, n))
	case e.inUse+n > e.most:
		e.stats.Refused++
		return fmt.Errorf("%w: %d texts", ErrBusy, e.inUse)
	}
	e.inUse += n
	e.running++
	return nil
}

func (e *Embedder) release(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inUse -= n
	e.running--
	e.wake.Broadcast() // Drain may wait
}

// embed is Embed after reserve.
func (e *Embedder) embed(ctx context.Context, texts []transformers.Tokens) ([][]float32, error) {
	r := &embedRequest{
		ctx: ctx, texts: texts, open: len(texts), out: make([][]float32, len(texts)), done: make(chan struct{}),
	}
	for i, text := range texts {
		if n := len(text.IDs); int64(n) > e.MaxLength() {
			return nil, fmt.Errorf("serving.Embedder.Embed: %w: text %d has %d tokens; at most %d fit",
				generation.ErrTooLong, i, n, e.MaxLength())
		}
		r.left = append(r.left, i)
	}
	if err := e.m.CheckTokens(texts); err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return r.out, nil
	}
	slices.SortStableFunc(r.left, func(a, b int) int { return len(texts[b].IDs) - len(texts[a].IDs) })
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, ErrClosed
	}
	e.waiting = append(e.waiting, r)
	e.wake.Broadcast()
	e.mu.Unlock()
	select {
	case <-r.done:
		return r.out, r.err
	case <-ctx.Done(): // without waiting for the batch
		return nil, ctx.Err()
	}
}

// embedItem is a text of a batch.
type embedItem struct {
	r *embedRequest
	i int
}

// next waits for texts and returns those of a batch, or nil after Close.
func (e *Embedder) next() []embedItem {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		if e.closed {
			for _, r := range e.waiting {
				e.end(r, ErrClosed)
			}
			e.waiting = nil
			return nil
		}
		e.waiting = slices.DeleteFunc(e.waiting, func(r *embedRequest) bool {
			if err := r.ctx.Err(); err != nil && r.err == nil {
				e.stats.Cancelled++
				e.end(r, err)
			}
			return r.err != nil
		})
		if len(e.waiting) > 0 {
			return e.take()
		}
		e.wake.Wait()
	}
}

// leastTokens is the size of batches that use a processor well.
const leastTokens = 512

// take chooses the texts of a batch. The first request decides how long they are: from half of
// its longest text to all of it. Then it goes to the end of the queue. The more requests wait,
// the smaller is the batch, so that a round takes about as long as a batch of one request.
func (e *Embedder) take() (batch []embedItem) {
	lead := e.waiting[0]
	longest := len(lead.texts[lead.left[0]].IDs)
	share := max(e.tokens/len(e.waiting), min(e.tokens, leastTokens))
	room := max(1, min(e.batch, share/longest))
	for _, r := range e.waiting {
		from, _ := slices.BinarySearchFunc(r.left, longest, r.longer)
		to, _ := slices.BinarySearchFunc(r.left, (longest+1)/2-1, r.longer)
		to = min(to, from+room-len(batch))
		for _, i := range r.left[from:to] {
			batch = append(batch, embedItem{r, i})
		}
		r.left = slices.Delete(r.left, from, to)
	}
	e.waiting = append(e.waiting[1:], lead)
	e.waiting = slices.DeleteFunc(e.waiting, func(r *embedRequest) bool { return len(r.left) == 0 })
	return batch
}

// longer orders texts by length, the longest first.
func (r *embedRequest) longer(i, length int) int { return length - len(r.texts[i].IDs) }

// end ends a request. Each request ends once.
func (e *Embedder) end(r *embedRequest, err error) {
	if r.err = err; err != nil {
		r.out = nil
	}
	close(r.done)
}

// run is the goroutine of the embedder.
func (e *Embedder) run() {
	defer close(e.done)
	for {
		batch := e.next()
		if batch == nil {
			return
		}
		rows, err := e.compute(batch)
		e.finish(batch, rows, err)
	}
}

// compute runs the model.
func (e *Embedder) compute(batch []embedItem) (rows [][]float32, err error) {
	texts := make([]transformers.Tokens, len(batch))
	for k, item := range batch {
		texts[k] = item.r.texts[item.i]
	}
	wrong := torch.Try(func() {
		torch.Scope(func() {
			var x *torch.Tensor
			x, err = e.m.EncodeTokens(context.Background(), texts, transformers.BatchSize(len(texts)))
			if err != nil {
				return
			}
			all, n := x.CPU().Float().Float32s(), int(x.Size(1))
			for k := range batch {
				rows = append(rows, slices.Clone(all[k*n:(k+1)*n])) // rows end at different times
			}
		})
	})
	return rows, errors.Join(err, wrong)
}

// errNotFinite is the error for an embedding that has NaN or an infinity.
var errNotFinite = errors.New("serving: the model computed an embedding that is not finite")

func (e *Embedder) finish(batch []embedItem, rows [][]float32, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Batches++
	for k, item := range batch {
		r := item.r
		if r.err != nil { // an earlier text failed, or the context ended
			continue
		}
		wrong := err
		if wrong == nil && !finite(rows[k]) {
			wrong = errNotFinite
		}
		if wrong != nil {
			e.end(r, wrong)
			continue
		}
		e.stats.Texts++
		e.stats.Tokens += int64(len(r.texts[item.i].IDs))
		r.out[item.i] = rows[k]
		if r.open--; r.open == 0 {
			e.end(r, nil)
		}
	}
}

func finite(row []float32) bool {
	return !slices.ContainsFunc(row, func(x float32) bool { return !(math.Abs(float64(x)) <= math.MaxFloat32) })
}

// Stats returns the counts and the present state.
func (e *Embedder) Stats() EmbedderStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.InUse = e.inUse
	return s
}

// Close ends all requests with [ErrClosed]. It returns when the model is no longer in use.
func (e *Embedder) Close() error {
	e.mu.Lock()
	e.closed = true
	e.wake.Broadcast()
	e.mu.Unlock()
	<-e.done
	return nil
}

// Drain refuses new requests with [ErrClosed], waits until all others are done or ctx ends, and
// closes the embedder. The error is ctx.Err() if ctx ended before.
func (e *Embedder) Drain(ctx context.Context) error {
	e.mu.Lock()
	e.draining = true
	stop := context.AfterFunc(ctx, func() { e.mu.Lock(); defer e.mu.Unlock(); e.wake.Broadcast() })
	for e.running > 0 && ctx.Err() == nil && !e.closed {
		e.wake.Wait()
	}
	stop()
	e.closed = true
	e.mu.Unlock()
	return errors.Join(ctx.Err(), e.Close())
}
