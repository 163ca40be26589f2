package data

import (
	"github.com/gotorch/gotorch/torch"
)

// A TryDataset is a [Dataset] whose examples have to be read first, from files or
// over a network, so that getting one may fail. A loader calls TryGet in place of Get
// and says which example it was, see [ExampleError]. Get is for programs that call it
// themselves: it panics with the error, wrapped by [torch.WrapError].
type TryDataset interface {
	Dataset

	// TryGet returns example i, 0 <= i < Len(), under the rules of Get. It may be
	// called by several goroutines at once, the workers of a loader.
	TryGet(i int) (Example, error)
}

// A BatchDataset is a [Dataset] that makes a whole batch at once, without a tensor for
// each example. A loader without a [CollateFn] calls Batch in place of Get and [Stack].
// In Python the method is called __getitems__.
type BatchDataset interface {
	Dataset

	// Batch returns the examples with the given indices as one, stacked along a new
	// first dimension. The tensors are new; the slice is the caller's.
	Batch(indices []int64) Example
}

// A TryBatchDataset is a [BatchDataset] for examples that have to be read first.
type TryBatchDataset interface {
	Dataset

	// TryBatch returns what [BatchDataset]'s Batch returns, or what went wrong.
	TryBatch(indices []int64) (Example, error)
}

// An IterableDataset gives one example after the other, and has neither a length nor
// an order of its own to be changed: a stream, a file too large to be indexed.
// Follows torch.utils.data.IterableDataset.
type IterableDataset interface {
	// Iterate calls yield with each example until there are no more or yield returns
	// false, and returns the error that ended it early, if one did. Each worker of a
	// loader calls it once an epoch, at the same time as the others, with its own w:
	// a dataset gives worker w its share, for example the examples i with w.Has(i).
	// The tensors are freed when they have been copied into a batch; those that the
	// dataset keeps need a [torch.Disown].
	Iterate(w WorkerInfo, yield func(Example) bool) error
}

// get returns example i of d by the method that d has.
func get(d Dataset, i int) (Example, error) {
	if t, ok := d.(TryDataset); ok {
		return t.TryGet(i)
	}
	return d.Get(i), nil
}

// batch returns a batch of d by the method that d has; ok is false if it has none.
func batch(d Dataset, indices []int64) (e Example, ok bool, err error) {
	switch d := d.(type) {
	case TryBatchDataset:
		e, err = d.TryBatch(indices)
		return e, true, err
	case BatchDataset:
		return d.Batch(indices), true, nil
	case *Subset:
		return batch(d.base, d.translate(indices))
	}
	return Example{}, false, nil
}

// tried returns e, or panics with err on behalf of op.
func tried(op string, e Example, err error) Example {
	if err != nil {
		panic(torch.WrapError(op, err))
	}
	return e
}
