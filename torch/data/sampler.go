package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A Sampler sets the examples of an epoch and their order. Pass it to a loader with
// [WithSampler]. Follows torch.utils.data.Sampler.
type Sampler interface {
	// Len returns the number of indices in an epoch.
	Len() int

	// Begin begins an epoch. The function that it returns yields one index at a time, and
	// false at the end.
	Begin() func() (index int64, ok bool)
}

// A BatchSampler sets the examples in each batch of an epoch. Pass it to a loader with
// [WithBatchSampler]. Follows torch.utils.data.BatchSampler.
type BatchSampler interface {
	// Len returns the number of batches in an epoch.
	Len() int

	// Begin begins an epoch. The function that it returns yields the indices of one batch
	// at a time, and false at the end. The slice is valid until the next call.
	Begin() func() (indices []int64, ok bool)
}

// NewSequentialSampler returns a sampler of all examples of d, in order. It panics
// with ErrNil for a nil dataset. Follows torch.utils.data.SequentialSampler.
func NewSequentialSampler(d Dataset) Sampler {
	mustBeDataset("data.NewSequentialSampler", d)
	return sequentialSampler{d}
}

type sequentialSampler struct{ d Dataset }

func (s sequentialSampler) Len() int { return s.d.Len() }

func (s sequentialSampler) Begin() func() (int64, bool) {
	i := int64(-1)
	return func() (int64, bool) {
		i++
		return i, i < int64(s.d.Len())
	}
}

// NewRandomSampler returns a sampler that draws a new order of the examples of d for each
// epoch. Without [NumSamples] an epoch has all examples; without [Replacement] no example
// repeats before all have been drawn. Without [Generator] each epoch seeds a generator
// from the default one. The sampler draws the same numbers as Python. It panics with
// ErrNil for a nil dataset or option and with ErrValue for an empty dataset and a
// NumSamples that is not positive. Follows torch.utils.data.RandomSampler.
func NewRandomSampler(d Dataset, opts ...RandomSamplerOption) Sampler {
	const op = "data.NewRandomSampler"
	mustBeDataset(op, d)
	s := &randomSampler{d: d}
	for _, o := range opts {
		switch o := o.(type) {
		case Replacement:
			s.replacement = bool(o)
		case NumSamples:
			if s.num = int(o); s.num <= 0 {
				panic(torch.NewError(op, torch.ErrValue, "NumSamples",
					fmt.Sprintf("expected a positive number, got %d", s.num)))
			}
		case GeneratorOption:
			s.gen = o.generator
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if d.Len() == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "an empty dataset cannot be sampled"))
	}
	return s
}

type randomSampler struct {
	d           Dataset
	replacement bool
	num         int // the number of indices in an epoch; 0 means the number of examples
	gen         *torch.Generator
}

func (s *randomSampler) Len() int {
	if s.num == 0 {
		return s.d.Len()
	}
	return s.num
}

func (s *randomSampler) Begin() func() (int64, bool) {
	g := s.gen
	if g == nil {
		g = torch.NewGenerator(torch.CPU).ManualSeed(uint64(drawSeed(nil)))
	}
	n, left, last := s.d.Len(), s.Len(), false
	return flatten(func() ([]int64, bool) {
		if last {
			return nil, false
		}
		// With replacement, draw 32 indices at a time, as Python does. Without it, draw an
		// order of all examples. The last part has only the indices that the epoch still
		// needs, which may be none.
		size := n
		if s.replacement {
			size = 32
		}
		if left < size {
			size, last = left, true
		}
		left -= size
		if s.replacement {
			return integers(n, size, g), true
		}
		return permutation(n, g)[:size], true
	})
}

// integers draws count integers from 0 to n-1.
func integers(n, count int, g *torch.Generator) []int64 {
	t := torch.RandInt(0, int64(n), torch.Shape{int64(count)}, torch.CPU, g)
	defer func() { _ = t.Close() }()
	return t.Int64s()
}

// flatten returns a function that yields the numbers in the slices that next returns, one
// at a time.
func flatten(next func() ([]int64, bool)) func() (int64, bool) {
	var part []int64
	return func() (int64, bool) {
		for len(part) == 0 {
			var ok bool
			if part, ok = next(); !ok {
				return 0, false
			}
		}
		i := part[0]
		part = part[1:]
		return i, true
	}
}

// NewSubsetRandomSampler returns a sampler of the given indices, which it copies, in a
// new order for each epoch. It draws the same numbers as Python, from the default generator
// or from [Generator]. It panics with ErrNil for a nil option. Follows
// torch.utils.data.SubsetRandomSampler.
func NewSubsetRandomSampler(indices []int64, opts ...SubsetSamplerOption) Sampler {
	const op = "data.NewSubsetRandomSampler"
	g := opt.Read(op, opts, GeneratorOption{}).generator
	return &subsetSampler{indices: append([]int64(nil), indices...), gen: g}
}

type subsetSampler struct {
	indices []int64
	gen     *torch.Generator
}

func (s *subsetSampler) Len() int { return len(s.indices) }

func (s *subsetSampler) Begin() func() (int64, bool) {
	order := permutation(len(s.indices), s.gen)
	return func() (int64, bool) {
		if len(order) == 0 {
			return 0, false
		}
		i := s.indices[order[0]]
		order = order[1:]
		return i, true
	}
}

// NewWeightedRandomSampler returns a sampler that draws numSamples indices for each
// epoch, where the probability of an index is proportional to its weight. It copies
// weights. With Replacement(false) no index repeats. The sampler draws the same numbers
// as Python, from the default generator or from [Generator]. It panics with ErrValue for
// a numSamples that is not positive and with ErrNil for a nil option. Begin panics with
// ErrValue for invalid weights. Follows torch.utils.data.WeightedRandomSampler.
func NewWeightedRandomSampler(weights []float64, numSamples int, opts ...WeightedSamplerOption) Sampler {
	const op = "data.NewWeightedRandomSampler"
	if numSamples <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "numSamples",
			fmt.Sprintf("expected a positive number, got %d", numSamples)))
	}
	again, g := opt.Read2(op, opts, Replacement(true), GeneratorOption{})
	return &weightedSampler{
		weights: append([]float64(nil), weights...), num: numSamples, replacement: bool(again), gen: g.generator,
	}
}

type weightedSampler struct {
	weights     []float64
	num         int
	replacement bool
	gen         *torch.Generator
}

func (s *weightedSampler) Len() int { return s.num }

func (s *weightedSampler) Begin() func() (int64, bool) {
	var drawn []int64
	torch.Scope(func() {
		weights := torch.FromSliceWith(s.weights, nil, torch.CPU)
		drawn = weights.Multinomial(int64(s.num), torch.Replacement(s.replacement), s.gen).Int64s()
	})
	return flatten(func() ([]int64, bool) {
		part := drawn
		drawn = nil
		return part, len(part) > 0
	})
}

// NewBatchSampler returns a sampler of batches of the indices of s. With dropLast an
// incomplete last batch is left out. It panics with ErrNil for a nil sampler and with
// ErrValue for a batchSize below 1. Follows torch.utils.data.BatchSampler.
func NewBatchSampler(s Sampler, batchSize int, dropLast bool) BatchSampler {
	const op = "data.NewBatchSampler"
	if s == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "a nil Sampler"))
	}
	if batchSize < 1 {
		panic(torch.NewError(op, torch.ErrValue, "batchSize",
			fmt.Sprintf("expected a positive number, got %d", batchSize)))
	}
	return &batchSampler{s, batchSize, dropLast}
}

type batchSampler struct {
	s        Sampler
	size     int
	dropLast bool
}

func (b *batchSampler) Len() int {
	n := b.s.Len()
	if n%b.size != 0 && !b.dropLast {
		return n/b.size + 1
	}
	return n / b.size
}

func (b *batchSampler) Begin() func() ([]int64, bool) {
	var pull func() (int64, bool)
	var batch []int64
	ended := false
	return func() ([]int64, bool) {
		if pull == nil {
			pull = b.s.Begin()
		}
		batch = batch[:0]
		for !ended && len(batch) < b.size {
			i, ok := pull()
			if ended = !ok; ok {
				batch = append(batch, i)
			}
		}
		return batch, len(batch) == b.size || len(batch) > 0 && !b.dropLast
	}
}
