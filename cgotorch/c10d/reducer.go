package c10d

// #include "reducer.h"
import "C"

import (
	"runtime"
	"strings"
	"unsafe"

	_ "github.com/gotorch/gotorch/cgotorch" // contains the queue of released objects
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Callbacks are called by relays and reducers. Package torch/distributed sets them once.
// They must not panic; instead they return the tag of the panic.
var Callbacks struct {
	// Begin starts a collective of the relay with this id. pass is the number of the
	// current backward pass, or -1 outside one. The call's tensors are borrowed. flight
	// is a number registered for the collective. w lives until flight is released.
	Begin func(id, pass int64, c *Call) (flight int64, w Work, tag int64)
	// Wait waits for a flight.
	Wait func(flight int64) (tag int64)
	// Bucket calls the hook with this id on a bucket and does not wait for its result.
	// The tensors are borrowed. BucketEnd returns the result, a new reference.
	Bucket    func(id int64, buffer abi.Tensor, index int, last bool, params []abi.Tensor) (tag int64)
	BucketEnd func(id int64, index int) (out abi.Tensor, tag int64)
}

//export gotorchDistBegin
func gotorchDistBegin(id, pass C.int64_t, c *C.gt_dist_call, flight *C.int64_t, work *C.gt_work) C.int64_t {
	f, w, tag := Callbacks.Begin(int64(id), int64(pass), &Call{
		Op: Op(c.op), Reduce: int(c.reduce), Root: int(c.root), Timeout: int64(c.timeout),
		Outs: unsafe.Slice((*abi.Tensor)(unsafe.Pointer(c.outs)), int(c.n_outs)),
		Ins:  unsafe.Slice((*abi.Tensor)(unsafe.Pointer(c.ins)), int(c.n_ins)),
	})
	*flight, *work = C.int64_t(f), C.gt_work(w)
	return C.int64_t(tag)
}

//export gotorchDistWait
func gotorchDistWait(flight C.int64_t) C.int64_t { return C.int64_t(Callbacks.Wait(int64(flight))) }

//export gotorchDistBucket
func gotorchDistBucket(id C.int64_t, buffer C.gt_tensor, index C.int64_t, last C.int, params *C.gt_tensor,
	n C.int64_t,
) C.int64_t {
	return C.int64_t(Callbacks.Bucket(int64(id), abi.Tensor(buffer), int(index), last != 0,
		unsafe.Slice((*abi.Tensor)(unsafe.Pointer(params)), int(n))))
}

//export gotorchDistBucketEnd
func gotorchDistBucketEnd(id, index C.int64_t, out *C.gt_tensor) C.int64_t {
	t, tag := Callbacks.BucketEnd(int64(id), int(index))
	*out = C.gt_tensor(t)
	return C.int64_t(tag)
}

// Step makes exactly one call to this package and does nothing else, because its caller
// holds a slot at the gate.
type Step func(cx abi.Ctx) Status

// Do makes the call.
func Do(cx abi.Ctx, s Step) Status { return s(cx) }

// Relay is a process group as libtorch's reducer sees it. The caller must free it.
type Relay uintptr

// NewRelay creates a relay whose collectives call Callbacks with id. The relay takes
// ownership of id.
func NewRelay(id int64, rank, size int, name string) (Relay, Status) {
	n, free := text(name)
	defer free()
	var r C.gt_relay
	st := status(C.gt_relay_new(C.int64_t(id), C.int(rank), C.int(size), n, &r))
	return Relay(r), st
}

// Free frees the relay.
func (r Relay) Free() { C.gt_relay_free(C.gt_relay(r)) }

// VerifyParams checks that the ranks' parameters have the same shapes and layouts.
func VerifyParams(cx abi.Ctx, r Relay, params []abi.Tensor) Status {
	var pin runtime.Pinner
	defer pin.Unpin()
	return status(C.gt_relay_verify(C.gt_ctx(cx), C.gt_relay(r), (*C.gt_tensor)(pinned(&pin, params)),
		C.int64_t(len(params))))
}

// BroadcastCoalesced sends tensors from rank src to the other ranks. It packs them into
// buffers of the given size in bytes.
func BroadcastCoalesced(cx abi.Ctx, r Relay, ts []abi.Tensor, bytes int64, src int) Status {
	var pin runtime.Pinner
	defer pin.Unpin()
	return status(C.gt_relay_broadcast(C.gt_ctx(cx), C.gt_relay(r), (*C.gt_tensor)(pinned(&pin, ts)),
		C.int64_t(len(ts)),
		C.int64_t(bytes), C.int(src)))
}

// Reducer averages gradients during a backward pass. The caller must free it.
type Reducer uintptr

// ReducerOptions are the settings of a Reducer. Sizes are in bytes.
type ReducerOptions struct {
	Params                                          []abi.Tensor
	Sparse                                          []bool
	Names                                           []string
	Caps, RebuildCaps                               []int64 // -1 means no limit
	Cap, FirstCap                                   int64
	FindUnused, BucketView, StaticGraph, SkipUnused bool
}

// NewReducer creates a reducer that uses relay r and keeps it alive.
func NewReducer(cx abi.Ctx, r Relay, o *ReducerOptions) (Reducer, Status) {
	names, free := text(strings.Join(o.Names, "\x00") + "\x00")
	defer free()
	var pin runtime.Pinner
	defer pin.Unpin()
	raw := C.gt_reducer_options{
		params: (*C.gt_tensor)(pinned(&pin, o.Params)), sparse: (*C.uint8_t)(pinned(&pin, o.Sparse)),
		n_params: C.int64_t(len(o.Params)),
		caps:     (*C.int64_t)(pinned(&pin, o.Caps)), n_caps: C.int64_t(len(o.Caps)),
		rebuild_caps: (*C.int64_t)(pinned(&pin, o.RebuildCaps)), n_rebuild_caps: C.int64_t(len(o.RebuildCaps)),
		cap: C.int64_t(o.Cap), first_cap: C.int64_t(o.FirstCap), names: names,
		find_unused: C.int32_t(flag(o.FindUnused)), bucket_view: C.int32_t(flag(o.BucketView)),
		static_graph: C.int32_t(flag(o.StaticGraph)), skip_unused: C.int32_t(flag(o.SkipUnused)),
	}
	var out C.gt_reducer
	st := status(C.gt_reducer_new(C.gt_ctx(cx), C.gt_relay(r), &raw, &out))
	return Reducer(out), st
}

// Free frees the reducer. If the backward pass of a graph still needs it, the graph keeps
// it alive.
func (r Reducer) Free() { C.gt_reducer_free(C.gt_reducer(r)) }

// PrepareForward starts an iteration.
func PrepareForward(cx abi.Ctx, r Reducer) Status {
	return status(C.gt_reducer_prepare_forward(C.gt_ctx(cx), C.gt_reducer(r)))
}

// Finished returns an error if the last backward pass did not reach all parameters. It
// returns no error if the thread is in a backward pass.
func (r Reducer) Finished() Status { return status(C.gt_reducer_finished(C.gt_reducer(r))) }

// RebuildBuckets assigns the parameters to buckets in the order of their gradients. It
// does so only once.
func RebuildBuckets(cx abi.Ctx, r Reducer) (bool, Status) {
	var rebuilt C.int
	st := status(C.gt_reducer_rebuild(C.gt_ctx(cx), C.gt_reducer(r), &rebuilt))
	return rebuilt != 0, st
}

// PrepareBackward makes the next backward pass reduce gradients. outs are the outputs of
// the forward pass. If search is set, PrepareBackward searches their graph for unused
// parameters.
func PrepareBackward(cx abi.Ctx, r Reducer, outs []abi.Tensor, search bool) Status {
	var pin runtime.Pinner
	defer pin.Unpin()
	return status(C.gt_reducer_prepare_backward(C.gt_ctx(cx), C.gt_reducer(r), (*C.gt_tensor)(pinned(&pin, outs)),
		C.int64_t(len(outs)), flag(search)))
}

// Delay makes the running backward pass reduce all gradients at its end.
func Delay(cx abi.Ctx, r Reducer) Status {
	return status(C.gt_reducer_delay(C.gt_ctx(cx), C.gt_reducer(r)))
}

// DivideBy sets the divisor of summed gradients; 0 means the group's size.
func DivideBy(cx abi.Ctx, r Reducer, by int) Status {
	return status(C.gt_reducer_divide(C.gt_ctx(cx), C.gt_reducer(r), C.int64_t(by)))
}

// UseHook makes the hook with this id reduce the buckets. The reducer takes ownership of
// id.
func UseHook(cx abi.Ctx, r Reducer, id int64) Status {
	return status(C.gt_reducer_hook(C.gt_ctx(cx), C.gt_reducer(r), C.int64_t(id)))
}

// When ranks tell each other which parameters they used: never, after the gradients, or
// before the gradients.
const (
	UsedNever  = C.GT_USED_NEVER
	UsedAfter  = C.GT_USED_AFTER
	UsedBefore = C.GT_USED_BEFORE
)

// Shadow takes part in the reduction of every bucket and contributes zeros, for a rank
// that has no more inputs. used is one of the constants above.
func Shadow(cx abi.Ctx, r Reducer, used int) Status {
	return status(C.gt_reducer_shadow(C.gt_ctx(cx), C.gt_reducer(r), C.int(used)))
}

// Places returns the addresses and sizes in bytes of at most n dense buckets. have is the
// number of dense buckets.
func (r Reducer) Places(n int) (at []uintptr, bytes []int64, have int, st Status) {
	at, bytes = make([]uintptr, n), make([]int64, n)
	var pin runtime.Pinner
	defer pin.Unpin()
	var all C.int64_t
	st = status(C.gt_reducer_places(C.gt_reducer(r), (*C.uintptr_t)(pinned(&pin, at)),
		(*C.int64_t)(pinned(&pin, bytes)), C.int64_t(n), &all))
	got := min(n, int(all))
	return at[:got], bytes[:got], int(all), st
}

// Buckets returns new references to the buffers of at most n buckets. have is the number
// of buckets.
func Buckets(cx abi.Ctx, r Reducer, n int) (buffers []abi.Tensor, have int, st Status) {
	buffers = make([]abi.Tensor, n)
	var pin runtime.Pinner
	defer pin.Unpin()
	var all C.int64_t
	st = status(C.gt_reducer_buckets(C.gt_ctx(cx), C.gt_reducer(r), (*C.gt_tensor)(pinned(&pin, buffers)),
		C.int64_t(n), &all))
	return buffers[:min(n, int(all))], int(all), st
}
