package data

import (
	"github.com/gotorch/gotorch/torch"
)

// A TryDataset is a [Dataset] whose examples may fail to load, for example from files or
// over a network. A loader calls TryGet instead of Get and reports the failed example;
// see [ExampleError]. Get is for direct calls: it panics with the error, wrapped by
// [torch.WrapError].
type TryDataset interface {
	Dataset

	// TryGet returns example i, where 0 <= i < Len(). The rules of [Dataset]'s Get apply.
	// The workers of a loader may call TryGet concurrently.
	TryGet(i int) (Example, error)
}

// A BatchDataset is a [Dataset] that makes a whole batch at once, without a tensor for
// each example. A loader without a [CollateFn] calls Batch instead of Get and [Stack]. In
// Python the method is __getitems__.
type BatchDataset interface {
	Dataset

	// Batch returns a batch of the examples with the given indices, stacked along a new
	// first dimension. The tensors are new. Batch must not keep the slice of indices.
	Batch(indices []int64) Example
}

// A TryBatchDataset is a [BatchDataset] whose examples may fail to load.
type TryBatchDataset interface {
	Dataset

	// TryBatch returns a batch, as [BatchDataset]'s Batch does, or an error.
	TryBatch(indices []int64) (Example, error)
}

// An IterableDataset yields examples in its own order and has no length. It may be a
// stream, or a file too large to index. Follows torch.utils.data.IterableDataset.
type IterableDataset interface {
	// Iterate calls yield with each example until there are no more or yield returns
	// false. It returns the error that ended it early, if any. All workers of a loader
	// call Iterate concurrently, once per epoch, each with its own w. A dataset should
	// yield only worker w's share, for example the examples i with w.Has(i). The tensors
	// are freed when they have been copied into a batch; call [torch.Disown] on tensors
	// that the dataset keeps.
	Iterate(w WorkerInfo, yield func(Example) bool) error
}

// get returns example i of d by TryGet or Get.
func get(d Dataset, i int) (Example, error) {
	if t, ok := d.(TryDataset); ok {
		return t.TryGet(i)
	}
	return d.Get(i), nil
}

// batch returns a batch of d by TryBatch or Batch; ok is false if d has neither method.
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

// orPanic returns e, or panics with err if it is not nil. The panic names the operator op.
func orPanic(op string, e Example, err error) Example {
	if err != nil {
		panic(torch.WrapError(op, err))
	}
	return e
}
