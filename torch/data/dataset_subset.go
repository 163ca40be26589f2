package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Subset is a dataset of some examples of another dataset, in any order. It needs no Close.
// Follows torch.utils.data.Subset.
type Subset struct {
	base    Dataset
	indices []int64
}

// NewSubset returns a dataset of the examples of d with the given indices. It panics with
// ErrNil for a nil dataset and with ErrIndex for an index out of range.
func NewSubset(d Dataset, indices []int64) *Subset {
	const op = "data.NewSubset"
	mustBeDataset(op, d)
	n := int64(d.Len())
	for _, i := range indices {
		if i < 0 || i >= n {
			panic(torch.NewError(op, torch.ErrIndex, "indices",
				fmt.Sprintf("%d is out of range for %d examples", i, n)))
		}
	}
	return &Subset{base: d, indices: append([]int64(nil), indices...)}
}

// Len returns the number of examples.
func (s *Subset) Len() int {
	mustBeMade("data.Subset.Len", s.isMade())
	return len(s.indices)
}

func (s *Subset) isMade() bool { return s != nil && s.base != nil }

// Get returns example i of the subset. It panics with ErrIndex if i is out of range, and
// as the dataset's Get does.
func (s *Subset) Get(i int) Example {
	e, err := s.TryGet(i)
	return orPanic("data.Subset.Get", e, err)
}

// TryGet is Get, but returns the error of a [TryDataset] instead of panicking.
func (s *Subset) TryGet(i int) (Example, error) {
	mustBeMade("data.Subset.Get", s.isMade())
	return get(s.base, int(s.translate([]int64{int64(i)})[0]))
}

// Indices returns a copy of the indices into the underlying dataset.
func (s *Subset) Indices() []int64 {
	mustBeMade("data.Subset.Indices", s.isMade())
	return append([]int64(nil), s.indices...)
}

// String returns the type and the number of examples, "Subset(100)".
func (s *Subset) String() string { return describe(s, s.isMade()) }

func (s *Subset) translate(indices []int64) []int64 {
	out := make([]int64, len(indices))
	for k, i := range indices {
		if i < 0 || i >= int64(len(s.indices)) {
			panic(torch.NewError("data.Subset", torch.ErrIndex, "i",
				fmt.Sprintf("%d is out of range for %d examples", i, len(s.indices))))
		}
		out[k] = s.indices[i]
	}
	return out
}

// RandomSplit splits a dataset at random into parts of the given lengths, which must add
// up to the length of the dataset. It draws the same random order as Python's
// random_split, from the default generator or from [Generator]. It panics with ErrNil for
// a nil dataset or option, and with ErrValue for lengths that do not add up to the
// dataset's length. Follows torch.utils.data.random_split.
func RandomSplit(d Dataset, lengths []int, opts ...SplitOption) []*Subset {
	return split("data.RandomSplit", d, lengths, opts)
}

// split is RandomSplit. op is the function name for errors.
func split(op string, d Dataset, lengths []int, opts []SplitOption) []*Subset {
	g := readSplit(op, opts)
	mustBeDataset(op, d)
	sum, all := 0, d.Len()
	for _, n := range lengths {
		if n < 0 {
			panic(torch.NewError(op, torch.ErrValue, "lengths", fmt.Sprintf("expected no negative length, got %v",
				lengths)))
		}
		if n > all-sum {
			panic(torch.NewError(op, torch.ErrValue, "lengths",
				fmt.Sprintf("%v add up to more than the %d examples of the dataset", lengths, all)))
		}
		sum += n
	}
	if sum != all {
		panic(torch.NewError(op, torch.ErrValue, "lengths",
			fmt.Sprintf("%v add up to %d, but the dataset has %d examples", lengths, sum, all)))
	}
	order := permutation(sum, g)
	parts := make([]*Subset, len(lengths))
	for k, n := range lengths {
		parts[k] = &Subset{base: d, indices: order[:n:n]}
		order = order[n:]
	}
	return parts
}
