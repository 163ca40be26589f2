package distributed

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/torch"
)

// Reducer averages the gradients of parameters over a group during the backward pass. It collects
// them in buckets, and sends each bucket when all its gradients are computed.
// parallel.DistributedDataParallel of nn/parallel is built on it; most programs use that. Follows
// torch._C._distributed_c10d.Reducer.
//
// [NewReducer] makes a Reducer, and [Reducer.RegisterCommHook] replaces its averaging. Then every
// rank makes the same calls in each iteration, in this order:
//
//	r.BeginForward()
//	r.SetContext(ctx)                     // optional: ends the waits from now on
//	r.SetComparedTexts(forward, backward) // optional: finds ranks that run another pass
//	r.SetDivideFactor(n)                  // optional: divides by n instead of the number of ranks
//	r.PrepareForward(true)
//	r.Broadcast(buffers, 0)               // if the module has buffers
//	outs := model.Forward(x)
//	r.PrepareBackward(outs)
//	r.EndForward()
//	loss.Backward()                       // averages the gradients
//
// To accumulate gradients without averaging them, pass false to PrepareForward and leave out
// PrepareBackward. A rank that has no input left passes false too, and calls
// [Reducer.MatchAllReduce] after EndForward instead of running the passes.
//
// If a collective fails, the group ends, and later calls return an error. Backward then panics with
// a *torch.Error that wraps the *Error.
//
// A Reducer must not be used by several goroutines at once. Only Close may run during a backward
// pass on another goroutine, because the graph keeps everything that the pass needs. If Close
// is never called, the garbage collector frees the Reducer.
type Reducer struct {
	relay      *relay
	handles    reducerHandles
	cleanup    runtime.Cleanup
	hook       *registeredHook
	findUnused bool // each forward pass searches for unused parameters

	// mu guards only closed. It does not guard the handles: no other method may use them during Close.
	mu     sync.Mutex
	closed bool
}

// reducerHandles holds what Close or the garbage collector frees.
type reducerHandles struct {
	relay    *relay
	rawRelay native.Relay
	reducer  native.Reducer
	names    *bucketNames
}

func (h reducerHandles) free() {
	h.names.remove()
	if h.reducer != 0 {
		h.relay.end()
		h.reducer.Free()
	}
	h.rawRelay.Free()
	callback.Sweep()
}

// Broadcast sends tensors, such as buffers, from rank src of the group to all others.
func (r *Reducer) Broadcast(ts []*torch.Tensor, src int) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	return r.broadcastTensors(r.relay.op, ts, src)
}

func (r *Reducer) broadcastTensors(op string, ts []*torch.Tensor, src int) error {
	if len(ts) == 0 {
		return nil
	}
	var hs []abi.Tensor
	if err := torch.Try(func() { hs = torch.Handles(op+"(tensors)", ts, false) }); err != nil {
		return err
	}
	for i, t := range ts { // check the tensors each time, because the program may have replaced a buffer
		if err := r.relay.g.checkBroadcast(op, fmt.Sprintf("tensors[%d]", i), t); err != nil {
			return err
		}
	}
	// libtorch refuses an invalid rank and ends the group, but would truncate a larger number.
	src = min(max(src, -1), mostRanks)
	return callReducer(op, func(cx abi.Ctx) native.Status {
		return native.BroadcastCoalesced(cx, r.handles.rawRelay, hs, pieceSize, src)
	}, ts...)
}

// SetContext sets the context for later waits. If the context ends during a wait, the group ends
// too, because its ranks are then out of step.
func (r *Reducer) SetContext(ctx context.Context) { r.relay.setContext(ctx) }

// SetComparedTexts sets the texts that the ranks compare before the first collective of
// the next forward pass and of the next backward pass. A rank may skip either pass.
// SetComparedTexts fails if the last backward pass did not reach all parameters.
func (r *Reducer) SetComparedTexts(forward, backward string) error {
	if err := r.checkAllReached(); err != nil {
		return err
	}
	r.relay.setComparisons(r.relay.op+forward, r.relay.op+backward)
	return nil
}

// BeginForward begins a forward pass. No other pass may run at the same time on any goroutine,
// because the ranks would then send in different orders. EndForward ends the pass.
func (r *Reducer) BeginForward() error {
	if err := r.checkNotClosed(); err != nil {
		return err
	}
	return r.relay.beginForward()
}

// EndForward ends the forward pass, whether it was successful or not.
func (r *Reducer) EndForward() { r.relay.endForward() }

// PrepareForward begins an iteration. If sync is true, the iteration's gradients will be
// averaged. PrepareForward fails if the last backward pass did not reach all parameters.
func (r *Reducer) PrepareForward(sync bool) error {
	if err := r.checkAllReached(); err != nil {
		return err
	}
	if r.hook != nil {
		r.hook.reset()
	}
	if sync {
		if err := callReducer(r.relay.op, func(cx abi.Ctx) native.Status {
			return native.PrepareForward(cx, r.handles.reducer)
		}); err != nil {
			return err
		}
	}
	var rebuilt bool
	if err := callReducer(r.relay.op, func(cx abi.Ctx) (st native.Status) {
		rebuilt, st = native.RebuildBuckets(cx, r.handles.reducer)
		return st
	}); err != nil || !rebuilt {
		return err
	}
	return r.handles.names.set(r.handles.reducer)
}

// PrepareBackward makes the next backward pass average the gradients. outs are the
// outputs of the forward pass. Their graph keeps the objects alive that the backward pass
// needs. With FindUnusedParameters the reducer searches the graph for unused parameters.
// nil outputs are ignored.
func (r *Reducer) PrepareBackward(outs ...*torch.Tensor) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	outs = slices.DeleteFunc(slices.Clone(outs), func(t *torch.Tensor) bool { return t == nil })
	var hs []abi.Tensor
	if err := torch.Try(func() { hs = torch.Handles(r.relay.op+"(outs)", outs, false) }); err != nil {
		return err
	}
	return callReducer(r.relay.op, func(cx abi.Ctx) native.Status {
		return native.PrepareBackward(cx, r.handles.reducer, hs, r.findUnused)
	}, outs...)
}

// DelayAllReduce makes the running backward pass average all gradients at its end. Call it during
// that pass. Follows delay_all_reduce.
func (r *Reducer) DelayAllReduce() error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	return callReducer(r.relay.op, func(cx abi.Ctx) native.Status { return native.Delay(cx, r.handles.reducer) })
}

// checkNotClosed returns an error for a closed reducer.
func (r *Reducer) checkNotClosed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return argumentError(r.relay.op, torch.ErrClosed, "receiver", "used after Close")
	}
	return nil
}

// checkAllReached returns an error if the last backward pass did not reach all
// parameters, and otherwise the result of checkOpen. The backward pass is checked first,
// because it may be the reason why the group has ended.
func (r *Reducer) checkAllReached() error {
	if err := r.checkNotClosed(); err != nil {
		return err
	}
	if err := r.relay.checkFinished(); err != nil {
		return err
	}
	return r.checkOpen()
}

// checkOpen returns an error if the reducer is closed or the group has ended.
func (r *Reducer) checkOpen() error {
	if err := r.checkNotClosed(); err != nil {
		return err
	}
	return r.relay.g.checkOpen(r.relay.op)
}

// Close releases the parameters and the buckets. Gradients that are views of buckets stay valid. A
// pending backward pass keeps the memory that it needs.
func (r *Reducer) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.cleanup.Stop()
	if r.hook != nil {
		r.hook.reset()
	}
	r.handles.free()
	return nil
}

// SetDivideFactor sets the number by which summed gradients are divided from the next iteration on.
// 0 stands for the number of ranks.
func (r *Reducer) SetDivideFactor(factor int) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	if factor < 0 || factor > math.MaxInt32 {
		return argumentError(r.relay.op, torch.ErrValue, "factor", "expected 0 to %d, got %d", math.MaxInt32, factor)
	}
	return callReducer(r.relay.op, func(cx abi.Ctx) native.Status {
		return native.DivideBy(cx, r.handles.reducer, factor)
	})
}

// MatchAllReduce takes part in one iteration's averaging on a rank without inputs, and
// contributes zeros. used says when the ranks inform each other which parameters were
// used: before the gradients, after them, or not at all. Follows
// DistributedDataParallel._match_all_reduce_for_bwd_pass.
func (r *Reducer) MatchAllReduce(used Used) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	if used < UsedNever || used > UsedBefore {
		return argumentError(r.relay.op, torch.ErrValue, "used",
			"expected UsedNever, UsedAfter or UsedBefore, got %d", used)
	}
	return callReducer(r.relay.op, func(cx abi.Ctx) native.Status {
		return native.Shadow(cx, r.handles.reducer, int(used))
	})
}

// Used says when ranks inform each other which parameters were used.
type Used int

// Ranks never inform each other, or do so after or before the gradients.
const (
	UsedNever  Used = native.UsedNever
	UsedAfter  Used = native.UsedAfter
	UsedBefore Used = native.UsedBefore
)
