package distributed

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/callback"
	inmemory "github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// GradBucket is a bucket of computed gradients. Its tensors share the bucket's memory,
// and are valid until the function that the hook returned has returned. Follows
// torch.distributed.GradBucket.
type GradBucket struct {
	g      *ProcessGroup
	index  int
	last   bool
	buffer *torch.Tensor
	params []*torch.Tensor
}

// Index returns the bucket's number within the backward pass, from 0.
func (b *GradBucket) Index() int { return b.index }

// IsLast reports whether the bucket is the last one of the backward pass.
func (b *GradBucket) IsLast() bool { return b.last }

// Buffer returns all gradients of the bucket, concatenated and flattened. They are not
// divided by the number of ranks.
func (b *GradBucket) Buffer() *torch.Tensor { return b.buffer }

// Parameters returns the parameters whose gradients the bucket contains, in the order of the
// buffer.
func (b *GradBucket) Parameters() []*torch.Tensor { return slices.Clone(b.params) }

// Gradients returns a view of the buffer for each parameter, owned by the innermost scope.
func (b *GradBucket) Gradients() []*torch.Tensor {
	views := make([]*torch.Tensor, len(b.params))
	at := int64(0)
	for i, p := range b.params {
		if isDense(p) {
			views[i] = b.buffer.AsStrided(p.Shape(), p.Stride(), at)
		} else {
			views[i] = b.buffer.Narrow(0, at, p.Numel()).View(p.Shape()...)
		}
		at += p.Numel()
	}
	return views
}

// Group returns the group to average over.
func (b *GradBucket) Group() *ProcessGroup { return b.g }

// A CommHook averages a bucket in a custom way. It starts the communication and returns a
// function. At the end of the backward pass the reducer calls that function, which waits
// for the communication and returns the averaged gradients as one tensor. It has the
// buffer's number of elements, dtype and device, and may be the buffer itself.
//
// Both functions run without gradient recording and get the context of
// [Reducer.SetContext]. Tensors that they make belong to the scope in which Backward was
// called. If they return an error, Backward panics. Every rank must use the same hook.
type CommHook func(ctx context.Context, b *GradBucket) (func(ctx context.Context) (*torch.Tensor, error), error)

// RegisterCommHook replaces the averaging of buckets with a hook. Only one hook can be
// registered. Follows register_comm_hook.
func (r *Reducer) RegisterCommHook(hook CommHook) error {
	if hook == nil {
		return torch.NilFunc(r.relay.op, "hook")
	}
	if err := r.checkOpen(); err != nil {
		return err
	}
	if r.hook != nil {
		return argumentError(r.relay.op, torch.ErrValue, "hook", "a hook is already registered")
	}
	h := &registeredHook{relay: r.relay, fn: hook, pending: map[int]*pendingBucket{}}
	id := callback.RegisterAs(inmemory.Collectives, h)
	if err := callReducer(r.relay.op, func(cx abi.Ctx) native.Status {
		return native.UseHook(cx, r.handles.reducer, id)
	}); err != nil {
		return err
	}
	r.hook = h
	return nil
}

// bucketCount counts the buckets that a hook is using.
type bucketCount struct{ n atomic.Int64 }

func (h *bucketCount) inUse() bool { return h.n.Load() > 0 }

// registeredHook is a hook that libtorch identifies by a number.
type registeredHook struct {
	relay *relay
	fn    CommHook

	mu      sync.Mutex
	pending map[int]*pendingBucket
}

type pendingBucket struct {
	bucket *GradBucket
	end    func(ctx context.Context) (*torch.Tensor, error)
}

func (p *pendingBucket) close() {
	_ = p.bucket.buffer.Close()
	for _, t := range p.bucket.params {
		_ = t.Close()
	}
}

// reset drops the buckets of a failed pass.
func (h *registeredHook) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, p := range h.pending {
		p.close()
		delete(h.pending, i)
		h.relay.hook.n.Add(-1)
	}
}

func hookBegin(id int64, buffer abi.Tensor, index int, last bool, params []abi.Tensor) (tag int64) {
	return outsideGate(func() {
		h := callback.Of[*registeredHook](id)
		ctx := h.relay.context()
		if err := h.relay.compareCalls(ctx); err != nil {
			panic(err)
		}
		b := &GradBucket{g: h.relay.g, index: index, last: last, buffer: borrowedTensor(buffer)}
		for _, p := range params {
			b.params = append(b.params, borrowedTensor(p))
		}
		p := &pendingBucket{bucket: b}
		h.mu.Lock()
		h.pending[index] = p
		h.relay.hook.n.Add(1)
		h.mu.Unlock()
		torch.NoGrad(func() {
			var err error
			if p.end, err = h.fn(ctx, b); err != nil {
				panic(torch.WrapError(h.relay.op, err))
			}
		})
		if p.end == nil {
			panic(argumentError(h.relay.op, torch.ErrNil, "hook", "returned no function"))
		}
	})
}

func hookEnd(id int64, index int) (out abi.Tensor, tag int64) {
	tag = outsideGate(func() {
		h := callback.Of[*registeredHook](id)
		h.mu.Lock()
		p := h.pending[index]
		delete(h.pending, index)
		h.mu.Unlock()
		defer h.relay.hook.n.Add(-1)
		defer p.close()
		torch.NoGrad(func() {
			t, err := p.end(h.relay.context())
			if err != nil {
				panic(torch.WrapError(h.relay.op, err))
			}
			if t != nil && !t.IsClosed() && (t.Layout() != torch.Strided || !t.IsContiguous()) {
				panic(argumentError(h.relay.op, torch.ErrValue, "hook",
					"returned a tensor that is not one block of memory: %s; use Contiguous to copy it", describe(t)))
			}
			handle := t.HandleFor(h.relay.op+"(hook's result)", 0)
			if b := p.bucket.buffer; t.Numel() != b.Numel() || t.DType() != b.DType() || t.Device() != b.Device() {
				panic(argumentError(h.relay.op, torch.ErrShape, "hook",
					"expected %d elements of %v on %v, got %d of %v on %v",
					b.Numel(), b.DType(), b.Device(), t.Numel(), t.DType(), t.Device()))
			}
			out = cgotorch.Ref(handle)
			runtime.KeepAlive(t) // t may be the last reference to the tensor
		})
	})
	return out, tag
}
