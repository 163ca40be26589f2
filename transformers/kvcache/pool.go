package kvcache

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/blocks"
	"github.com/gotorch/gotorch/torch"
)

// ErrFull means that a [Pool] has no room for another text.
var ErrFull = errors.New("kvcache: the pool is full")

// page is the number of tokens in a page of a pool.
const page = 32

// mostTokens is the largest number of tokens in a pool.
const mostTokens = 1 << 40

// A Pool has the memory for the keys and values of many texts, in pages. A server allocates
// it once: texts take pages and give them back, and the memory never grows. It is on the
// CPU, in float32. Goroutines may share a pool.
type Pool struct {
	spec         Spec
	keys, values []*torch.Tensor // for each layer (slots, heads, D)

	mu   sync.Mutex
	free []int64
	all  int
}

// NewPool allocates a pool with room for the given number of tokens, rounded up to pages of
// 32. It panics with ErrValue for an invalid spec or number, and with ErrOutOfMemory.
func NewPool(spec Spec, tokens int64) *Pool {
	const op = "kvcache.NewPool"
	spec.check(op)
	if tokens < 1 || tokens > mostTokens {
		panic(torch.NewError(op, torch.ErrValue, "tokens",
			fmt.Sprintf("expected a number from 1 to %d, got %d", int64(mostTokens), tokens)))
	}
	n := (tokens + page - 1) / page
	p := &Pool{spec: spec, all: int(n)}
	made := false
	defer func() {
		if !made {
			_ = p.Close()
		}
	}()
	for _, l := range spec.Layers {
		for _, to := range []*[]*torch.Tensor{&p.keys, &p.values} {
			*to = append(*to, torch.Disown(torch.Zeros(torch.Shape{n * page, l.Heads, l.HeadDim}, torch.Float32)))
		}
	}
	for i := n - 1; i >= 0; i-- {
		p.free = append(p.free, i)
	}
	made = true
	return p
}

// PoolBytes returns the size of a pool with room for the given number of tokens.
func (s Spec) PoolBytes(tokens int64) int64 {
	var n int64
	for _, l := range s.Layers {
		n += 2 * l.Heads * l.HeadDim * 4
	}
	return n * ((tokens + page - 1) / page * page)
}

// Bytes returns the size of the pool's native memory.
func (p *Pool) Bytes() int64 { return p.spec.PoolBytes(p.Tokens()) }

// Tokens returns the number of tokens for which the pool has room, free or not.
func (p *Pool) Tokens() int64 { return int64(p.all) * page }

// Free returns the number of tokens for which the pool has free pages.
func (p *Pool) Free() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(len(p.free)) * page
}

// Close frees the memory. No text may use the pool any more.
func (p *Pool) Close() error {
	for _, t := range append(p.keys, p.values...) {
		_ = t.Close()
	}
	p.keys, p.values = nil, nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
	return nil
}

// NewText takes pages for a text of at most the given number of tokens. The caller closes
// the text. The error is [ErrFull] if there are too few pages. NewText panics with ErrValue
// if tokens is not positive.
func (p *Pool) NewText(tokens int64) (*Text, error) {
	if tokens < 1 {
		panic(torch.NewError("kvcache.Pool.NewText", torch.ErrValue, "tokens",
			fmt.Sprintf("expected a positive number, got %d", tokens)))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := int64(len(p.free)) * page; tokens > room {
		return nil, fmt.Errorf("%w: %d tokens, and room for %d", ErrFull, tokens, room)
	}
	n := int((tokens + page - 1) / page)
	at := len(p.free) - n
	t := &Text{pool: p, pages: append([]int64(nil), p.free[at:]...)}
	p.free = p.free[:at]
	return t, nil
}

// A Text is the part of a pool that belongs to one text. [Pool.NewText] makes it. Only one
// goroutine may use it at a time.
type Text struct {
	pool  *Pool
	pages []int64
	n     int64
}

// Len returns the number of tokens whose keys and values are in the pool.
func (t *Text) Len() int64 { return t.n }

// Close gives the pages back to the pool. It may be called more than once.
func (t *Text) Close() error {
	p := t.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, t.pages...)
	t.pages = nil
	return nil
}

// A Part is the next tokens of a text in a [Batch].
type Part struct {
	Text   *Text
	Tokens int64
}

// A Batch is the cache of one forward pass over the next tokens of several texts. The pass
// has one row of token IDs: the tokens of the first part, then those of the second, and so
// on. A model attends to each text by itself. Call [Batch.Done] after the pass.
type Batch struct {
	pool                   *Pool
	parts                  []Part
	slots, tables, lengths *torch.Tensor
	positions              []int64
}

// NewBatch returns the batch of these parts. It panics with ErrClosed after Close, with
// ErrValue if there are no parts, and if the texts are not different texts of the pool, and
// with ErrIndex if a text has no room for its tokens. The tensors of the batch belong to
// the caller's scope.
func (p *Pool) NewBatch(parts []Part) *Batch {
	const op = "kvcache.Pool.NewBatch"
	b := &Batch{pool: p, parts: parts}
	b.checkTexts(op)
	width := 1
	for _, part := range parts {
		if part.Tokens < 1 || part.Text.n+part.Tokens > int64(len(part.Text.pages))*page {
			panic(torch.NewError(op, torch.ErrIndex, "parts", fmt.Sprintf("%d tokens after %d do not fit %d pages",
				part.Tokens, part.Text.n, len(part.Text.pages))))
		}
		width = max(width, int((part.Text.n+part.Tokens+page-1)/page))
	}
	var slots, tables, lengths []int64
	for _, part := range parts {
		for i := range part.Tokens {
			at := part.Text.n + i
			b.positions = append(b.positions, at)
			lengths = append(lengths, at+1)
			slots = append(slots, part.Text.pages[at/page]*page+at%page)
			row := make([]int64, width)
			copy(row, part.Text.pages)
			tables = append(tables, row...)
		}
	}
	n := int64(len(slots))
	b.slots, b.lengths = torch.FromSlice(slots, n), torch.FromSlice(lengths, n)
	b.tables = torch.FromSlice(tables, n, int64(width))
	return b
}

func (b *Batch) checkTexts(op string) {
	switch {
	case b.pool.keys == nil:
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "the pool is closed"))
	case len(b.parts) == 0:
		panic(torch.NewError(op, torch.ErrValue, "parts", "there are none"))
	}
	seen := map[*Text]bool{}
	for i, p := range b.parts {
		if p.Text == nil || p.Text.pool != b.pool || seen[p.Text] {
			panic(torch.NewError(op, torch.ErrValue, "parts",
				fmt.Sprintf("part %d: expected a text of the pool that no other part has", i)))
		}
		seen[p.Text] = true
	}
}

// Positions returns the position of each token in its text.
func (b *Batch) Positions() []int64 { return b.positions }

// Done makes the tokens part of their texts.
func (b *Batch) Done() {
	for _, p := range b.parts {
		p.Text.n += p.Tokens
	}
}

// Attend stores the keys and values (1, heads, n, D) of the batch's n tokens in a layer. It
// returns the attention of the queries (1, H, n, D), in their shape and dtype. Each
// token attends to the tokens of its text up to itself, as far as the window of the layer
// reaches. Attend panics with ErrIndex for a layer that does not exist, and with ErrShape
// and ErrDType for tensors that do not fit. It passes no gradients on.
func (b *Batch) Attend(layer int, query, key, value *torch.Tensor, scale float64) *torch.Tensor {
	const op = "kvcache.Batch.Attend(query, keys, values, tables, lengths)"
	if layer < 0 || layer >= len(b.pool.keys) {
		panic(torch.NewError(op, torch.ErrIndex, "layer",
			fmt.Sprintf("expected 0 to %d, got %d", len(b.pool.keys)-1, layer)))
	}
	return torch.Tidy(func() *torch.Tensor {
		keys, values := b.pool.keys[layer], b.pool.values[layer]
		rows := func(x *torch.Tensor) *torch.Tensor { return x.Squeeze(0).Transpose(0, 1).Float() }
		keys.IndexCopy_(0, b.slots, rows(key))
		values.IndexCopy_(0, b.slots, rows(value))
		q := rows(query)
		hq, hk, hv := q.HandleFor(op, 0), keys.HandleFor(op, 1), values.HandleFor(op, 2)
		ht, hl := b.tables.HandleFor(op, 3), b.lengths.HandleFor(op, 4)
		r := torch.BeginRaw(op, q, keys, values, b.tables, b.lengths)
		y := r.Tensor(blocks.Attend(r.Ctx, hq, hk, hv, ht, hl, page, scale, b.pool.spec.Layers[layer].Window))
		return y.Transpose(0, 1).Unsqueeze(0).To(query.DType())
	})
}

// Update implements [Cache]. It panics with ErrNotImplemented: a model calls [Batch.Attend].
func (b *Batch) Update(int, *torch.Tensor, *torch.Tensor) (keys, values *torch.Tensor) {
	panic(torch.NewError("kvcache.Batch.Update", torch.ErrNotImplemented, "receiver",
		"a batch computes attention itself"))
}

// Sizes implements [Cache]: the keys of the new tokens alone.
func (b *Batch) Sizes(_ int, n int64) (length, first int64) { return n, 0 }

// Len implements [Cache]: the batch itself holds no tokens.
func (b *Batch) Len() int64 { return 0 }

// Room implements [Cache].
func (b *Batch) Room() int64 { return int64(len(b.positions)) }

// Bytes implements [Cache]. The memory is the pool's.
func (b *Batch) Bytes() int64 { return 0 }

// Close implements [Cache]. It does nothing.
func (b *Batch) Close() error { return nil }
