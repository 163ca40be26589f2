package data

import (
	"context"
	"fmt"
	"iter"

	"github.com/gotorch/gotorch/torch"
)

// LoaderOptions are the arguments of [NewLoader]. The zero value of each field
// is the default of Python's DataLoader.
type LoaderOptions struct {
	BatchSize int  // examples a batch; 0: 1
	Shuffle   bool // draw a new order each time the loader is ranged over
	DropLast  bool // leave out a last batch that is not full

	// Generator is where the order is drawn from; nil: the default generator.
	Generator *torch.Generator

	// Collate joins examples into a batch; nil: Stack.
	Collate func([]Example) Example

	// Transform changes a whole batch, once an operator rather than once an
	// example. Temporaries that it makes are freed when it returns.
	Transform func(Example) Example

	// Device is where batches are moved to; the zero Device, the CPU, leaves
	// them where they are.
	Device torch.Device
}

// Loader yields a dataset in batches, torch.utils.data.DataLoader in Python
// with num_workers=0. It holds no native memory and needs no Close. Several
// goroutines may range over one loader, each with an order of its own, as long
// as the dataset and the options' functions allow that.
type Loader struct {
	set  Dataset
	opts LoaderOptions
}

// Batch is one step's data. Its tensors belong to the step's scope: they are
// freed when the loop's body returns.
type Batch struct {
	Example
	Index int // counts the batches of an epoch from 0
}

// NewLoader returns a loader over d, which stays the caller's to close. It
// panics with ErrNil for a nil dataset, and with ErrValue for a negative batch
// size or an empty dataset that is to be shuffled.
func NewLoader(d Dataset, opts LoaderOptions) *Loader {
	const op = "data.NewLoader"
	if d == nil {
		panic(torch.NewError(op, torch.ErrNil, "d", "a nil Dataset"))
	}
	if opts.BatchSize < 0 {
		panic(torch.NewError(op, torch.ErrValue, "BatchSize", fmt.Sprintf("expected a positive number, got %d", opts.BatchSize)))
	}
	if opts.Shuffle && d.Len() == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "an empty dataset cannot be shuffled"))
	}
	opts.BatchSize = max(opts.BatchSize, 1)
	return &Loader{set: d, opts: opts}
}

// Len returns the number of batches.
func (l *Loader) Len() int {
	n := l.set.Len()
	if l.opts.DropLast {
		return n / l.opts.BatchSize
	}
	return (n + l.opts.BatchSize - 1) / l.opts.BatchSize
}

// Dataset returns what the loader loads.
func (l *Loader) Dataset() Dataset { return l.set }

// All returns the batches of one epoch, for "for batch := range loader.All()".
// Each step runs in a scope of its own, which ends with the body however it is
// left. Ranging again is the next epoch.
func (l *Loader) All() iter.Seq[Batch] { return l.AllContext(context.Background()) }

// AllContext is All that ends early, between two steps, once ctx is done; ask
// ctx.Err whether it did.
func (l *Loader) AllContext(ctx context.Context) iter.Seq[Batch] {
	return func(yield func(Batch) bool) { l.run(ctx, yield) }
}

// Each calls fn with each batch of one epoch until it returns false: All for
// places that cannot range over functions.
func (l *Loader) Each(fn func(Batch) bool) { l.run(context.Background(), fn) }

func (l *Loader) run(ctx context.Context, yield func(Batch) bool) {
	e := l.begin()
	for more := true; more && ctx.Err() == nil; {
		torch.Scope(func() {
			indices, ok := e.next()
			more = ok && yield(Batch{Example: l.load(indices), Index: e.batches - 1})
		})
	}
}

// load returns a batch, without anything that was made on the way to it. Each
// stage frees what the one before it made: the examples are gone when the batch
// is transformed, the batch as it was when it is moved.
func (l *Loader) load(indices []int64) Example {
	return tidied(func() Example {
		batch := tidied(func() Example {
			raw := tidied(func() Example { return fetch(l.set, indices, l.opts.Collate) })
			if l.opts.Transform == nil {
				return raw
			}
			return l.opts.Transform(raw)
		})
		if l.opts.Device == torch.CPU {
			return batch
		}
		return moved(batch, l.opts.Device)
	})
}

// tidied frees what fn makes beside its result.
func tidied(fn func() Example) (e Example) {
	torch.TidyAll(func() []*torch.Tensor {
		e = fn()
		return e.tensors()
	})
	return e
}

func moved(e Example, dev torch.Device) Example {
	ts := e.tensors()
	for i, t := range ts {
		if t != nil {
			ts[i] = t.To(dev, torch.NonBlocking)
		}
	}
	return exampleOf(ts)
}
