package data

import (
	"reflect"
	"sync"

	"github.com/gotorch/gotorch/internal/embedded"
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

// methods says which methods of a dataset a loader calls. If a struct embeds a dataset and declares
// Get again, it inherits methods such as TryGet and Batch, which do not know its Get. A loader then
// calls Get.
type methods struct{ tryGet, batch, tryBatch bool }

// methodsByType maps types of datasets to their methods, because finding them takes long.
var methodsByType sync.Map

func methodsOf(d Dataset) methods {
	t := reflect.TypeOf(d)
	if m, ok := methodsByType.Load(t); ok {
		return m.(methods) //nolint:forcetypeassert // only methods are stored
	}
	depth := embedded.Depth(t, findGet) // of the method that returns one example
	var m methods
	if at := embedded.Depth(t, findTryGet); at >= 0 && at <= depth {
		m.tryGet, depth = true, at
	}
	m.batch = embedded.Depth(t, findBatch) <= depth
	m.tryBatch = embedded.Depth(t, findTryBatch) <= depth
	methodsByType.Store(t, m)
	return m
}

func findGet(t reflect.Type) (reflect.Method, bool)      { return t.MethodByName("Get") }
func findTryGet(t reflect.Type) (reflect.Method, bool)   { return t.MethodByName("TryGet") }
func findBatch(t reflect.Type) (reflect.Method, bool)    { return t.MethodByName("Batch") }
func findTryBatch(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("TryBatch") }

// get returns example i of d by TryGet or Get.
func get(d Dataset, i int) (Example, error) {
	if t := trying(d); t != nil {
		return t.TryGet(i)
	}
	return d.Get(i), nil
}

// trying returns d if a loader calls its TryGet, and otherwise nil.
func trying(d Dataset) TryDataset {
	if t, ok := d.(TryDataset); ok && methodsOf(d).tryGet {
		return t
	}
	return nil
}

// batch returns a batch of d by TryBatch or Batch; ok is false if a loader calls neither method.
func batch(d Dataset, indices []int64) (e Example, ok bool, err error) {
	if s, ok := d.(*Subset); ok {
		return batch(s.base, s.translate(indices))
	}
	if t, ok := d.(TryBatchDataset); ok && methodsOf(d).tryBatch {
		e, err = t.TryBatch(indices)
		return e, true, err
	}
	if t, ok := d.(BatchDataset); ok && methodsOf(d).batch {
		return t.Batch(indices), true, nil
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
