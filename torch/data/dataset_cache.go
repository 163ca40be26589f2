package data

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

// A CacheOption configures a [CacheDataset]: [MaxExamples].
//
//gotorch:options MaxExamples
type CacheOption interface{ cacheOption() }

// MaxExamples is the largest number of examples that a cache keeps. By default the cache
// keeps all examples; a negative number panics with ErrValue.
type MaxExamples int

// CacheDataset keeps the examples of another dataset after they have been read. When the
// cache is full, it adds no more examples. Replacing old examples would not help: each
// epoch reads every example, so an example would be gone before its next use.
type CacheDataset struct {
	base Dataset
	max  int // -1 for all

	mu       sync.Mutex
	examples map[int]Example
	owned    []*torch.Tensor
	closed   bool
}

// NewCacheDataset returns a cache of d that reads each example once. The cache owns the
// tensors that it keeps; [CacheDataset.Close] frees them. The caller still closes d. It
// panics with ErrNil for a nil dataset or option and with ErrValue for a negative
// MaxExamples.
func NewCacheDataset(d Dataset, opts ...CacheOption) *CacheDataset {
	const op = "data.NewCacheDataset"
	mustBeDataset(op, d)
	c := &CacheDataset{base: d, max: -1, examples: map[int]Example{}}
	for _, o := range opts {
		switch o := o.(type) {
		case MaxExamples:
			if c.max = int(o); o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "MaxExamples", fmt.Sprintf("expected 0 or more, got %d", o)))
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return c
}

func (c *CacheDataset) isMade() bool { return c != nil && c.base != nil }

// Len returns the number of examples.
func (c *CacheDataset) Len() int {
	mustBeMade("data.CacheDataset.Len", c.isMade())
	return c.base.Len()
}

// Get returns example i. A cached example has the cache's own tensors, not copies:
// changing them in place changes the cache. Get panics with ErrClosed after Close, and as
// the dataset's Get does.
func (c *CacheDataset) Get(i int) Example {
	e, err := c.TryGet(i)
	return orPanic("data.CacheDataset.Get", e, err)
}

// TryGet is Get, but returns the error of a [TryDataset] instead of panicking. After an error,
// the next call tries again.
func (c *CacheDataset) TryGet(i int) (Example, error) {
	mustBeMade("data.CacheDataset.Get", c.isMade())
	if e, there := c.find(i); there {
		return e, nil
	}
	e, err := get(c.base, i)
	if err != nil {
		return Example{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.examples[i]; !there && !c.closed && (c.max < 0 || len(c.examples) < c.max) {
		c.owned = append(c.owned, e.disown()...)
		c.examples[i] = e
	}
	return e, nil // the cache did not add the example, so it belongs to the caller
}

func (c *CacheDataset) find(i int) (Example, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		panic(torch.NewError("data.CacheDataset.Get", torch.ErrClosed, "receiver", "the cache is closed"))
	}
	e, there := c.examples[i]
	return e, there
}

// Kept returns the number of examples in the cache.
func (c *CacheDataset) Kept() int {
	mustBeMade("data.CacheDataset.Kept", c.isMade())
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.examples)
}

// Close frees the cached examples. It always returns nil. Closing twice, or closing a nil
// cache, does nothing.
func (c *CacheDataset) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	closeAll(c.owned)
	c.owned, c.examples, c.closed = nil, map[int]Example{}, true
	return nil
}

// String returns the type and the number of examples, "CacheDataset(100)".
func (c *CacheDataset) String() string { return describe(c, c.isMade()) }
