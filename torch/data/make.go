package data

import (
	"errors"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// maker makes batches, on the goroutine of a loop or on that of a worker.
type maker struct {
	set    Dataset         // or
	stream IterableDataset // the other is nil
	opts   *loading
	worker int // -1 without workers

	copies *cuda.Stream // where copies to the device run, nil for the goroutine's own stream
	ready  *arrival     // what the last batch has to wait for

	columns  columns   // of the batch, for Stack
	examples []Example // of it, which Stack does not keep

	at      atomic.Int64 // the example that is being read, -1 if none is
	stopped atomic.Bool  // the loop has ended early: what is not read yet is not wanted
}

// errStopped ends the making of a batch that nobody waits for any more.
var errStopped = errors.New("data: the loop has ended")

// load makes the batch with the given number and indices.
func (m *maker) load(number int, indices []int64) (Example, error) {
	return m.finished(number, func() (Example, error) { return m.fetch(number, indices) })
}

// finished returns what a batch becomes that fetch has put together: transformed and on
// its device. Each stage frees what the one before it made: the examples are gone when
// the batch is transformed, the batch as it was when it is moved. It returns an
// *ExampleError for whatever goes wrong.
func (m *maker) finished(number int, fetch func() (Example, error)) (out Example, err error) {
	err = caught(func() (err error) {
		out = tidied(func() Example {
			batch := tidied(func() (raw Example) {
				raw = tidied(func() (e Example) {
					e, err = fetch()
					return e
				})
				if err == nil && m.opts.transform != nil {
					if raw = m.opts.transform(raw); raw.empty() {
						err = torch.NewError("data.Loader", torch.ErrNil, "Transform", "expected an Example with tensors or a Value, got one with neither")
					}
				}
				return raw
			})
			if err != nil {
				return Example{}
			}
			return m.placed(batch)
		})
		return err
	})
	return out, m.failure(number, -1, err)
}

// failure says of which example of which batch an error is, unless it does already.
func (m *maker) failure(number int, index int64, err error) error {
	if err == nil || err == errStopped { //nolint:errorlint // nothing wraps it
		return err
	}
	var e *ExampleError
	if errors.As(err, &e) && e.Batch == number && e.Worker == m.worker {
		return err
	}
	return &ExampleError{Index: index, Batch: number, Worker: m.worker, Err: err}
}

// fetch returns the examples with the given indices as a batch. The caller's scope, which
// ends with the call, frees the examples.
func (m *maker) fetch(number int, indices []int64) (Example, error) {
	collate := m.opts.collate
	if collate == nil && m.opts.batchSize != BatchSizeNone {
		if len(indices) > 0 {
			m.at.Store(indices[0])
		}
		e, ok, err := batch(m.set, indices)
		m.at.Store(-1) // not deferred: where the goroutine is ended, its index is asked for
		if ok {
			if err == nil && len(indices) > 0 {
				err = m.something(&e)
			}
			return e, err
		}
		defer func() { clear(m.examples) }() // which belong to others
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

// something returns an error for an example of nothing, of which only a function of the
// program's own can make a batch.
func (m *maker) something(e *Example) error {
	if m.opts.collate != nil || !e.empty() {
		return nil
	}
	return torch.NewError("data.Loader", torch.ErrNil, "Example", "expected tensors or a Value of the dataset, got an Example with neither")
}

// examplesOf appends the examples with the given indices to list, on an error those that
// there are.
func (m *maker) examplesOf(number int, indices []int64, list []Example) ([]Example, error) {
	try, tries := m.set.(TryDataset)
	k := 0
	err := caught(func() (err error) {
		for ; k < len(indices); k++ {
			if m.stopped.Load() {
				return errStopped
			}
			i := indices[k]
			if m.worker >= 0 {
				m.at.Store(i)
			}
			if tries {
				e, err := try.TryGet(int(i))
				if err != nil {
					return err
				}
				list = append(list, e)
			} else {
				list = append(list, m.set.Get(int(i)))
			}
			if err := m.something(&list[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if m.worker >= 0 {
		m.at.Store(-1)
	}
	if err != nil {
		return list, m.failure(number, indices[k], err)
	}
	return list, nil
}

// placed puts a batch where the options say.
func (m *maker) placed(e Example) Example {
	if m.opts.pin {
		e = tidied(func() Example { return e.mapped((*torch.Tensor).PinMemory) })
	}
	if m.opts.device == 0 {
		return e
	}
	m.ready = arriving(m.copies, func() {
		e = e.mapped(func(t *torch.Tensor) *torch.Tensor { return t.To(m.opts.device, torch.NonBlocking(true)) })
	})
	return e
}

// tidied frees what fn makes beside its result.
func tidied(fn func() Example) (e Example) {
	torch.TidyAll(func() []*torch.Tensor {
		own.Mark(own.Load)
		e = fn()
		return e.all()
	})
	return e
}
