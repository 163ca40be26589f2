package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// FuncDataset is a dataset of a given length. A function makes its examples.
type FuncDataset struct {
	n   int
	get func(i int) (Example, error)
}

// NewFuncDataset returns a dataset of n examples. The function get makes example i and
// follows the rules of [Dataset] and [TryDataset]. NewFuncDataset panics with ErrValue
// for a negative n and with ErrNil for a nil function.
func NewFuncDataset(n int, get func(i int) (Example, error)) *FuncDataset {
	const op = "data.NewFuncDataset"
	if n < 0 {
		panic(torch.NewError(op, torch.ErrValue, "n", fmt.Sprintf("expected 0 or more, got %d", n)))
	}
	if get == nil {
		panic(torch.NilFunc(op, "get"))
	}
	return &FuncDataset{n, get}
}

// Len returns the number of examples.
func (f *FuncDataset) Len() int {
	mustBeMade("data.FuncDataset.Len", f.isMade())
	return f.n
}

func (f *FuncDataset) isMade() bool { return f != nil && f.get != nil }

// Get returns example i. It panics with ErrIndex if i is out of range, and with the error
// of the function.
func (f *FuncDataset) Get(i int) Example {
	e, err := f.TryGet(i)
	return orPanic("data.FuncDataset.Get", e, err)
}

// TryGet is Get, but returns the error of the function instead of panicking.
func (f *FuncDataset) TryGet(i int) (Example, error) {
	mustBeMade("data.FuncDataset.Get", f.isMade())
	mustBeIndex("data.FuncDataset.Get", f.n, i)
	return f.get(i)
}

// String returns the type and the number of examples, "FuncDataset(100)".
func (f *FuncDataset) String() string { return describe(f, f.isMade()) }

// IterableFunc is a function that implements [IterableDataset].
type IterableFunc func(w WorkerInfo, yield func(Example) bool) error

// Iterate calls the function.
func (f IterableFunc) Iterate(w WorkerInfo, yield func(Example) bool) error {
	if f == nil {
		panic(torch.NilFunc("data.IterableFunc.Iterate", "receiver"))
	}
	return f(w, yield)
}

// ChainDataset is the concatenation of several iterable datasets. Follows
// torch.utils.data.ChainDataset.
type ChainDataset struct{ parts []IterableDataset }

// NewChainDataset returns a dataset of the examples of all parts, in order. It panics with
// ErrValue without parts and with ErrNil for a nil part.
func NewChainDataset(parts ...IterableDataset) *ChainDataset {
	const op = "data.NewChainDataset"
	if len(parts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "parts", "an empty list"))
	}
	for i, p := range parts {
		if opt.IsNil(p) {
			panic(torch.NewError(op, torch.ErrNil, "parts", fmt.Sprintf("number %d is nil", i)))
		}
	}
	return &ChainDataset{append([]IterableDataset(nil), parts...)}
}

// Iterate yields the examples of all parts, in order. It stops at the first error.
func (c *ChainDataset) Iterate(w WorkerInfo, yield func(Example) bool) error {
	mustBeMade("data.ChainDataset.Iterate", c.isMade())
	more := true
	for _, p := range c.parts {
		err := p.Iterate(w, func(e Example) bool {
			more = more && yield(e)
			return more
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// String returns "ChainDataset(2 parts)".
func (c *ChainDataset) String() string {
	if !c.isMade() {
		return "ChainDataset(nil)"
	}
	return fmt.Sprintf("ChainDataset(%d parts)", len(c.parts))
}

func (c *ChainDataset) isMade() bool { return c != nil && c.parts != nil }

// RandomSplitFractions is [RandomSplit] with fractions of the dataset's length, which must
// add up to 1. The lengths are rounded down, and the remaining examples go to the first
// parts, one to each part. It panics as RandomSplit does, and with ErrValue for fractions
// that are not between 0 and 1 or do not add up to 1. Follows
// torch.utils.data.random_split.
func RandomSplitFractions(d Dataset, fractions []float64, opts ...SplitOption) []*Subset {
	const op = "data.RandomSplitFractions"
	mustBeDataset(op, d)
	n, sum, whole := d.Len(), 0.0, 0
	lengths := make([]int, len(fractions))
	for i, f := range fractions {
		if !(f >= 0 && f <= 1) {
			panic(torch.NewError(op, torch.ErrValue, "fractions",
				fmt.Sprintf("expected numbers between 0 and 1, got %v", fractions)))
		}
		sum += f
		lengths[i] = int(float64(n) * f)
		whole += lengths[i]
	}
	if len(fractions) == 0 || sum-1 > 1e-9 || 1-sum > 1e-9 {
		panic(torch.NewError(op, torch.ErrValue, "fractions",
			fmt.Sprintf("%v add up to %v, expected 1", fractions, sum)))
	}
	for i := range n - whole {
		lengths[i%len(lengths)]++
	}
	return split(op, d, lengths, opts)
}
