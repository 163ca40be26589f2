package data

import "github.com/gotorch/gotorch/torch"

// epoch returns the indices of one pass over a dataset, batch by batch. It draws from the
// generators at the same times as Python's DataLoader, BatchSampler and RandomSampler.
type epoch struct {
	n        int
	size     BatchSize // examples per batch
	shuffle  bool
	dropLast bool
	gen      *torch.Generator // from the Generator option; nil without it

	pos     int // the number of examples whose indices were returned so far
	batches int
	order   []int64 // nil until the first batch; without shuffling, the next epochs reuse it
	ended   bool

	sampler   BatchSampler // or nil
	pullBatch func() ([]int64, bool)
}

// indices begins an epoch of a dataset that is not iterable.
func (l *Loader) indices() *epoch {
	size := l.opts.batchSize
	if size == BatchSizeNone {
		size = 1
	}
	return &epoch{
		n: l.dataset.Len(), size: size, shuffle: l.opts.shuffle, dropLast: l.opts.dropLast,
		gen: l.opts.generator, sampler: l.opts.batches,
	}
}

// next returns the indices of the next batch. They are valid until the next call.
func (e *epoch) next() ([]int64, bool) {
	if e.ended {
		return nil, false
	}
	if e.sampler != nil {
		if e.pullBatch == nil {
			e.pullBatch = e.sampler.Begin()
		}
		indices, ok := e.pullBatch()
		if e.ended = !ok; ok {
			e.batches++
		}
		return indices, ok
	}
	if e.shuffle && e.order == nil {
		e.order = e.draw()
	}
	end := e.pos + min(int(e.size), e.n-e.pos)
	if end-e.pos < int(e.size) {
		e.exhaust()
		if e.dropLast || end == e.pos {
			return nil, false
		}
	}
	e.batches++
	start := e.pos
	e.pos = end
	if e.shuffle {
		return e.order[start:end], true
	}
	e.order = e.order[:0]
	for i := start; i < end; i++ {
		e.order = append(e.order, int64(i))
	}
	return e.order, true
}

// draw returns a new order of the examples. If the loader has no generator, draw seeds a
// new one from the default generator, as Python's RandomSampler does.
func (e *epoch) draw() []int64 {
	g := e.gen
	if g == nil {
		g = torch.NewGenerator(torch.CPU).ManualSeed(uint64(drawSeed(nil)))
	}
	return permutation(e.n, g)
}

// drawSeed draws a seed from g or, if g is nil, from the default generator. It draws the same
// number as Python's torch.empty((), dtype=torch.int64).random_().
func drawSeed(g *torch.Generator) int64 {
	t := torch.Empty(torch.Shape{}, torch.Int64, torch.CPU)
	defer func() { _ = t.Close() }()
	if g == nil {
		return t.Random_().ItemInt()
	}
	return t.Random_(g).ItemInt()
}

// permutation returns 0 to n-1 in an order drawn from g or, if g is nil, from the default
// generator.
func permutation(n int, g *torch.Generator) []int64 {
	t := torch.RandPerm(int64(n), torch.CPU, g)
	defer func() { _ = t.Close() }()
	return t.Int64s()
}

// exhaust ends the epoch. Like Python's RandomSampler, it draws one more order and discards
// it, which changes the state of the loader's generator.
func (e *epoch) exhaust() {
	e.ended = true
	if e.shuffle && e.gen != nil {
		permutation(e.n, e.gen)
	}
}
