package batching

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// kind holds the properties that inputs must share to be in one batch.
type kind struct {
	dtype  torch.DType
	device torch.Device
	shape  torch.Shape
}

func (k kind) equal(o kind) bool {
	return k.dtype == o.dtype && k.device == o.device && slices.Equal(k.shape, o.shape)
}

// stage is the state of a request, guarded by the batcher's lock.
type stage uint8

const (
	queued  stage = iota
	running       // in a forward pass
	gone          // the caller stopped waiting while the request was running
	done          // the answer is there, or will be at any moment
)

// request is a request of one caller.
type request struct {
	inputs []*torch.Tensor // owned by the caller; nil for a request of values
	values []float32       // the request's own copy
	kinds  []kind          // the kind of each input
	stage  stage
	next   *request // the next request in the queue
	before *request
	start  time.Time

	answered chan struct{} // has a buffer for the only signal, so that sending never blocks
	result   answer
}

// answer is the outcome of a request: an error, values, or a row of outputs.
type answer struct {
	err     error
	values  []float32
	outputs *outputs
	row     int64
}

// outputs are the results of a forward pass, shared by its requests until each has taken
// its rows.
type outputs struct {
	tensors []*torch.Tensor
	readers atomic.Int64
}

// release closes the outputs when the last reader is done.
func (o *outputs) release() {
	if o.readers.Add(-1) > 0 {
		return
	}
	for _, t := range o.tensors {
		_ = t.Close()
	}
}

// rows returns the results of one request, owned like the results of any operator. The
// caller releases the outputs afterwards.
func (o *outputs) rows(row int64) (ts []*torch.Tensor, err error) {
	ts = make([]*torch.Tensor, len(o.tensors))
	err = torch.Try(func() {
		torch.NoGrad(func() {
			for i, t := range o.tensors {
				ts[i] = copyOf(t, row)
			}
		})
	})
	if err != nil {
		for _, t := range ts {
			_ = t.Close()
		}
		return nil, err
	}
	return ts, nil
}

func copyOf(t *torch.Tensor, row int64) *torch.Tensor {
	view := t.Select(0, row)
	defer func() { _ = view.Close() }()
	return view.Clone()
}

// alike reports whether two requests can be in one batch.
func (r *request) alike(o *request) bool {
	return (r.inputs == nil) == (o.inputs == nil) && slices.EqualFunc(r.kinds, o.kinds, kind.equal)
}

// queue is the list of waiting requests, the oldest first.
type queue struct {
	first, last *request
	len         int
}

func (q *queue) push(r *request) {
	r.stage, r.before, r.next = queued, q.last, nil
	if q.last != nil {
		q.last.next = r
	} else {
		q.first = r
	}
	q.last = r
	q.len++
}

func (q *queue) remove(r *request) {
	if r.before != nil {
		r.before.next = r.next
	} else {
		q.first = r.next
	}
	if r.next != nil {
		r.next.before = r.before
	} else {
		q.last = r.before
	}
	r.before, r.next = nil, nil
	q.len--
}

// take removes from the queue the oldest request and later requests that can share its
// batch, and returns them. n limits the number of returned requests, and look the number
// of examined requests.
func (q *queue) take(n, look int) []*request {
	head := q.first
	batch := make([]*request, 0, min(n, q.len))
	for r := head; r != nil && len(batch) < n && look > 0; look-- {
		next := r.next
		if r == head || r.alike(head) {
			q.remove(r)
			r.stage = running
			batch = append(batch, r)
		}
		r = next
	}
	return batch
}

// checkShape returns an error if an input's shape does not match.
func checkShape(op, arg string, shape, want torch.Shape) error {
	if want == nil {
		return nil
	}
	fits := len(shape) == len(want)
	for i := 0; fits && i < len(want); i++ {
		fits = want[i] == -1 || want[i] == shape[i]
	}
	if fits {
		return nil
	}
	return torch.NewError(op, torch.ErrShape, arg, fmt.Sprintf("expected one example of shape %v, got %v", want, shape))
}
