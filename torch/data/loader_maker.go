package data

import (
	"errors"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// batchMaker makes batches. It runs on the goroutine of a loop or of a worker.
type batchMaker struct {
	dataset Dataset         // nil if stream is set
	stream  IterableDataset // nil if dataset is set
	opts    *loaderSettings
	worker  int // -1 without workers

	// the stream that copies batches to the device; nil means the goroutine's current
	// stream
	copies      *cuda.Stream
	pendingCopy *arrival // the copy of the last batch to the device; nil if it is done

	columns  columnStacker // stacks examples as the function Stack does
	examples []Example     // the examples of the current batch; the next batch reuses the slice

	currentExample atomic.Int64 // the index of the example that is being loaded; -1 if none is being loaded
	stopped        atomic.Bool  // the loop has ended early, so the dataset should not be read further
}

// errStopped is the error of a batch that was not made because the loop has ended.
var errStopped = errors.New("data: the loop has ended")

// load makes the batch with the given number and indices.
func (m *batchMaker) load(number int, indices []int64) (Example, error) {
	return m.finish(number, func() (Example, error) { return m.fetch(number, indices) })
}

// finish calls fetch, transforms the batch and moves it to its device. It frees the
// examples before it transforms the batch, and the original batch after transforming or
// moving it. Any failure is an *ExampleError.
func (m *batchMaker) finish(number int, fetch func() (Example, error)) (out Example, err error) {
	err = tryTo(func() (err error) {
		out, err = freeRest(func() (Example, error) {
			b, err := freeRest(func() (Example, error) { return m.transformed(fetch) })
			if err != nil {
				return Example{}, err
			}
			return m.place(b), nil
		})
		return err
	})
	return out, m.batchError(number, -1, err)
}

// transformed calls fetch and transforms the batch.
func (m *batchMaker) transformed(fetch func() (Example, error)) (Example, error) {
	b, err := freeRest(fetch)
	if err != nil || m.opts.transform == nil {
		return b, err
	}
	if b = m.opts.transform(b); b.isEmpty() {
		err = torch.NewError("data.Loader", torch.ErrNil, "Transform",
			"expected an Example with tensors or a Value, got an empty one")
	}
	return b, err
}

// batchError adds the numbers of the batch and of the example to an error, unless the error
// already has them.
func (m *batchMaker) batchError(number int, index int64, err error) error {
	if err == nil || err == errStopped { //nolint:errorlint // nothing wraps it
		return err
	}
	var e *ExampleError
	if errors.As(err, &e) && e.Batch == number && e.Worker == m.worker {
		return err
	}
	return &ExampleError{Index: index, Batch: number, Worker: m.worker, Err: err}
}

// fetch returns a batch of the examples with the given indices. finish runs it in a scope,
// which frees the examples.
func (m *batchMaker) fetch(number int, indices []int64) (Example, error) {
	collate := m.opts.collate
	if collate == nil && m.opts.batchSize != BatchSizeNone {
		if len(indices) > 0 {
			m.currentExample.Store(indices[0])
		}
		e, ok, err := batch(m.dataset, indices)
		m.currentExample.Store(-1) // not deferred, so that work can report the index after runtime.Goexit
		if ok {
			if err == nil && len(indices) > 0 {
				err = m.mustNotBeEmpty(&e)
			}
			return e, err
		}
		defer func() { clear(m.examples) }() // the slice must not keep the examples alive
		if m.examples, err = m.examplesOf(number, indices, m.examples[:0]); err != nil {
			return Example{}, err
		}
		return m.columns.stack(m.examples), nil
	}
	examples, err := m.examplesOf(number, indices, make([]Example, 0, len(indices)))
	switch {
	case err != nil:
		return Example{}, err
	case collate == nil:
		return examples[0], nil
	}
	return collate(examples), nil
}

// mustNotBeEmpty returns an error for an empty example, unless there is a CollateFn, which
// may handle it.
func (m *batchMaker) mustNotBeEmpty(e *Example) error {
	if m.opts.collate != nil || !e.isEmpty() {
		return nil
	}
	return torch.NewError("data.Loader", torch.ErrNil, "Example",
		"expected an Example with tensors or a Value, got an empty one")
}

// examplesOf loads the examples with the given indices and appends them to list. On an
// error it returns the list with the examples that it has loaded.
func (m *batchMaker) examplesOf(number int, indices []int64, list []Example) ([]Example, error) {
	try := trying(m.dataset)
	k := 0
	err := tryTo(func() (err error) {
		for ; k < len(indices); k++ {
			if m.stopped.Load() {
				return errStopped
			}
			i := indices[k]
			if m.worker >= 0 {
				m.currentExample.Store(i)
			}
			if try != nil {
				e, err := try.TryGet(int(i))
				if err != nil {
					return err
				}
				list = append(list, e)
			} else {
				list = append(list, m.dataset.Get(int(i)))
			}
			if err := m.mustNotBeEmpty(&list[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if m.worker >= 0 {
		m.currentExample.Store(-1)
	}
	if err != nil {
		return list, m.batchError(number, indices[k], err)
	}
	return list, nil
}

// place moves a batch to the device, or to page-locked memory, as the options say.
func (m *batchMaker) place(e Example) Example {
	if m.opts.pin {
		e, _ = freeRest(func() (Example, error) { return e.mapTensors((*torch.Tensor).PinMemory), nil })
	}
	if m.opts.device == 0 {
		return e
	}
	m.pendingCopy = copyAsync(m.copies, func() {
		e = e.mapTensors(func(t *torch.Tensor) *torch.Tensor { return t.To(m.opts.device, torch.NonBlocking(true)) })
	})
	return e
}

// freeRest runs fn and frees all tensors that fn makes, except those of its result.
func freeRest(fn func() (Example, error)) (e Example, err error) {
	torch.TidyAll(func() []*torch.Tensor {
		own.Mark(own.Load)
		e, err = fn()
		return e.all()
	})
	return e, err
}
