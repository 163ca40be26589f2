package data

import (
	"fmt"
	"math"
	"sort"

	"github.com/gotorch/gotorch/torch"
)

// ConcatDataset is the concatenation of several datasets, its parts. It needs no Close; the
// caller still closes the parts. Follows torch.utils.data.ConcatDataset.
type ConcatDataset struct {
	parts []Dataset
	ends  []int // for each part, the index after its last example
}

// NewConcatDataset returns a dataset of the examples of all parts, in order. It asks each
// part for its length only once. It panics with ErrValue without parts and for more
// examples than an int can count, and with ErrNil for a nil part.
func NewConcatDataset(parts ...Dataset) *ConcatDataset {
	const op = "data.NewConcatDataset"
	mustBeParts(op, parts)
	c := &ConcatDataset{parts: append([]Dataset(nil), parts...)}
	n := 0
	for k, p := range parts {
		if n += p.Len(); n < 0 {
			panic(torch.NewError(op, torch.ErrValue, "parts", fmt.Sprintf("parts 0 to %d have more than %d examples "+
				"in total, which an int cannot count", k, math.MaxInt)))
		}
		c.ends = append(c.ends, n)
	}
	return c
}

func mustBeParts(op string, parts []Dataset) {
	if len(parts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "parts", "an empty list"))
	}
	for _, p := range parts {
		mustBeDataset(op, p)
	}
}

// Len returns the number of examples.
func (c *ConcatDataset) Len() int {
	mustBeMade("data.ConcatDataset.Len", c.isMade())
	return c.ends[len(c.ends)-1]
}

func (c *ConcatDataset) isMade() bool { return c != nil && c.parts != nil }

// Get returns example i. It panics with ErrIndex if i is out of range, and as the part's
// Get does.
func (c *ConcatDataset) Get(i int) Example {
	e, err := c.TryGet(i)
	return orPanic("data.ConcatDataset.Get", e, err)
}

// TryGet is Get, but returns the error of a [TryDataset] instead of panicking.
func (c *ConcatDataset) TryGet(i int) (Example, error) {
	mustBeMade("data.ConcatDataset.Get", c.isMade())
	mustBeIndex("data.ConcatDataset.Get", c.Len(), i)
	k := sort.SearchInts(c.ends, i+1)
	if k > 0 {
		i -= c.ends[k-1]
	}
	return get(c.parts[k], i)
}

// Datasets returns the parts.
func (c *ConcatDataset) Datasets() []Dataset {
	mustBeMade("data.ConcatDataset.Datasets", c.isMade())
	return append([]Dataset(nil), c.parts...)
}

// String returns the type and the number of examples, "ConcatDataset(100)".
func (c *ConcatDataset) String() string { return describe(c, c.isMade()) }

// StackDataset combines datasets of the same length. Its example i has the tensors of
// example i of every part: the first as Input, the second as Target and the others as
// Extra. If one part has a Value, the example has that Value. If several parts have Values,
// the example's Value is a []any of them in the order of the parts. A StackDataset needs no
// Close; the caller still closes the parts. Follows torch.utils.data.StackDataset.
type StackDataset struct {
	parts []Dataset
	n     int
}

// NewStackDataset combines the parts. It panics with ErrValue without parts and for parts
// of different lengths, and with ErrNil for a nil part.
func NewStackDataset(parts ...Dataset) *StackDataset {
	const op = "data.NewStackDataset"
	mustBeParts(op, parts)
	n := parts[0].Len()
	for k, p := range parts {
		if p.Len() != n {
			panic(torch.NewError(op, torch.ErrValue, "parts",
				fmt.Sprintf("part %d has %d examples, but part 0 has %d", k, p.Len(), n)))
		}
	}
	return &StackDataset{parts: append([]Dataset(nil), parts...), n: n}
}

// Len returns the number of examples.
func (s *StackDataset) Len() int {
	mustBeMade("data.StackDataset.Len", s.isMade())
	return s.n
}

func (s *StackDataset) isMade() bool { return s != nil && s.parts != nil }

// Get returns the tensors and Values of example i of each part. It panics with ErrIndex
// if i is out of range, and as the parts' Get does.
func (s *StackDataset) Get(i int) Example {
	e, err := s.TryGet(i)
	return orPanic("data.StackDataset.Get", e, err)
}

// TryGet is Get, but returns the error of a [TryDataset] instead of panicking.
func (s *StackDataset) TryGet(i int) (Example, error) {
	mustBeMade("data.StackDataset.Get", s.isMade())
	mustBeIndex("data.StackDataset.Get", s.n, i)
	var all []*torch.Tensor
	var values []any
	for _, p := range s.parts {
		e, err := get(p, i)
		if err != nil {
			return Example{}, err
		}
		if e.Value != nil {
			values = append(values, e.Value)
			if e.Input == nil && e.width() == 1 {
				continue // it has no tensor
			}
		}
		all = append(all, e.tensors()...)
	}
	e := exampleOf(all)
	switch len(values) {
	case 0:
	case 1:
		e.Value = values[0]
	default:
		e.Value = values
	}
	return e, nil
}

// Datasets returns the parts.
func (s *StackDataset) Datasets() []Dataset {
	mustBeMade("data.StackDataset.Datasets", s.isMade())
	return append([]Dataset(nil), s.parts...)
}

// String returns the type and the number of examples, "StackDataset(100)".
func (s *StackDataset) String() string { return describe(s, s.isMade()) }

// mustBeIndex panics with ErrIndex for an index out of range.
func mustBeIndex(op string, n, i int) {
	if i < 0 || i >= n {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d is out of range for %d examples", i, n)))
	}
}
