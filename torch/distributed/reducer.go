package distributed

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/torch"
)

// Reducer averages the gradients of parameters over a group during the backward pass: it
// collects them in buckets, and sends each bucket as soon as it is full.
// parallel.DistributedDataParallel of nn/parallel is built on it; most programs use that.
// A Reducer must not be used by several goroutines at once. Follows
// torch._C._distributed_c10d.Reducer.
//
// In each iteration call [Reducer.PrepareForward], compute, call
// [Reducer.PrepareBackward] and then Backward of the loss, after which all gradients are
// averaged. If a collective fails, Backward panics with a *torch.Error that wraps the
// *Error.
type Reducer struct {
	relay   *relay
	handles reducerHandles
	cleanup runtime.Cleanup
	hook    *hooked
	search  bool // each forward pass searches for unused parameters

	mu     sync.Mutex
	closed bool
}

type reducerHandles struct {
	owner   *relay
	relay   native.Relay
	reducer native.Reducer
	names   *bucketNames
}

func (h reducerHandles) free() {
	h.names.remove()
	if h.reducer != 0 {
		h.owner.end()
		h.reducer.Free()
	}
	h.relay.Free()
	callback.Sweep()
}

// ReducerConfig configures a [Reducer]. The zero value is DistributedDataParallel's
// default.
type ReducerConfig struct {
	Op     string   // of the module, for errors; "distributed.Reducer" if empty
	Names  []string // of the parameters, for errors
	Sparse []bool   // which parameters get sparse gradients; nil for none

	BucketCap            int64   // bytes of a bucket, 0 for 25 MiB after a first one of 1 MiB
	BucketCaps           []int64 // bytes of the first buckets, instead of BucketCap
	FindUnusedParameters bool    // parameters may not be used by an output
	GradientAsBucketView bool    // gradients are views of the buckets, which saves memory
	StaticGraph          bool    // every iteration computes the same graph
	SkipUnusedBuckets    bool    // do not send buckets of unused parameters, which must be the same on all ranks
	NoSync               bool    // do not copy parameters and buffers from rank 0 at the start

	Buffers []*torch.Tensor // copied from rank 0 at the start, with the parameters

	// Refused is an error that the caller found in this rank's arguments: the other ranks
	// are told.
	Refused error
}

const (
	mebibyte = 1 << 20
	// pieces is how much of a model is sent at a time.
	pieces = 250 * mebibyte
)

// NewReducer compares the parameters on all ranks, copies their values from rank 0, and
// returns a reducer for them. All ranks must call it, and it waits for them. Parameters
// must be leaves that require gradients.
func NewReducer(ctx context.Context, g *ProcessGroup, params []*torch.Tensor, c ReducerConfig) (*Reducer, error) {
	if c.Op == "" {
		c.Op = "distributed.Reducer"
	}
	if err := g.ready(c.Op); err != nil {
		return nil, err
	}
	refused := c.Refused
	if refused == nil {
		refused = first(c.check(params), c.sendable(g, params))
	}
	r := &Reducer{relay: &relay{g: g, op: c.Op, ctx: ctx, names: c.Names, unused: c.FindUnusedParameters}}
	r.handles.owner, r.handles.names = r.relay, &bucketNames{op: c.Op}
	r.search = c.FindUnusedParameters && !c.StaticGraph
	if g.checked {
		p, err := g.turn(ctx, c.Op, &g.order)
		if err != nil {
			return nil, err
		}
		err = g.agree(ctx, &call{op: c.Op, text: c.text(params)}, refused)
		p.leave()
		if err != nil {
			return nil, err
		}
	}
	if refused != nil {
		return nil, refused
	}
	var err error
	if r.handles.relay, err = r.relay.raw(); err != nil {
		return nil, err
	}
	if err := r.make(params, &c); err != nil {
		r.handles.free()
		return nil, err
	}
	r.relay.setContext(context.Background())
	r.cleanup = runtime.AddCleanup(r, reducerHandles.free, r.handles)
	return r, nil
}

// check returns an error for arguments that are invalid on any rank.
func (c *ReducerConfig) check(params []*torch.Tensor) error {
	if len(params) == 0 {
		return wrong(c.Op, torch.ErrValue, "params", "no parameter requires a gradient")
	}
	if err := torch.Try(func() { torch.Handles(c.Op+"(params)", params, false) }); err != nil {
		return err
	}
	for i, p := range params {
		if !p.RequiresGrad() || !p.IsLeaf() {
			return wrong(c.Op, torch.ErrAutograd, c.name(i), "expected a leaf that requires gradients")
		}
	}
	if err := torch.Try(func() { torch.Handles(c.Op+"(buffers)", c.Buffers, false) }); err != nil {
		return err
	}
	if c.BucketCap < 0 {
		return wrong(c.Op, torch.ErrValue, "BucketCap", "expected a non-negative number of bytes, got %d", c.BucketCap)
	}
	for _, n := range c.BucketCaps {
		if n <= 0 {
			return wrong(c.Op, torch.ErrValue, "BucketCaps", "expected non-negative numbers of bytes, got %d", n)
		}
	}
	return nil
}

// sendable returns an error for parameters and buffers that Gloo cannot send or sum.
func (c *ReducerConfig) sendable(g *ProcessGroup, params []*torch.Tensor) error {
	for i, p := range params {
		if err := g.broadcasts(c.Op, c.name(i), p); err != nil {
			return err
		}
	}
	for i, b := range c.Buffers {
		if err := g.broadcasts(c.Op, fmt.Sprintf("buffers[%d]", i), b); err != nil {
			return err
		}
	}
	return nil
}

// broadcasts returns an error for a tensor of a reducer that Gloo cannot send.
func (g *ProcessGroup) broadcasts(op, arg string, t *torch.Tensor) error {
	if g.backend == NCCL && t.IsCUDA() || t.DType().IsComplex() {
		return nil // NCCL has others, and libtorch sends complex numbers as pairs
	}
	return ofGloo(op, arg, t.DType())
}

func (c *ReducerConfig) name(i int) string {
	if i < len(c.Names) {
		return c.Names[i]
	}
	return fmt.Sprintf("params[%d]", i)
}

// text returns the settings in which the ranks must agree.
func (c *ReducerConfig) text(params []*torch.Tensor) (text string) {
	sync := "their values"
	if c.NoSync {
		sync = "no values"
	}
	_ = torch.Try(func() { // a bad one is refused anyway
		text = fmt.Sprintf("%s of %d parameters: %s; %d buffers: %s; %s from rank 0", c.Op, len(params),
			describe(params...),
			len(c.Buffers), describe(c.Buffers...), sync)
		if set := withoutZero(fmt.Sprintf("%+v", c.settings())); set != "{}" {
			text += "; " + set
		}
	})
	return text
}

var zeroField = regexp.MustCompile(`\w+:(0|false|\[\]) ?`)

// withoutZero removes unset fields from a formatted struct.
func withoutZero(text string) string {
	return strings.ReplaceAll(zeroField.ReplaceAllString(text, ""), " }", "}")
}

// settings returns the settings that must be equal on all ranks.
func (c *ReducerConfig) settings() any {
	return struct {
		BucketCap                                                    int64
		BucketCaps                                                   []int64
		FindUnusedParameters, StaticGraph, SkipAllReduceUnusedParams bool
	}{c.BucketCap, c.BucketCaps, c.FindUnusedParameters, c.StaticGraph, c.SkipUnusedBuckets}
}

// make compares and sends, and makes the reducer.
func (r *Reducer) make(params []*torch.Tensor, c *ReducerConfig) error {
	hs := torch.Handles(c.Op+"(params)", params, false)
	if !c.NoSync {
		if err := cross(c.Op, func(cx abi.Ctx) native.Status {
			return native.VerifyParams(cx, r.handles.relay, hs)
		}, params...); err != nil {
			return err
		}
		if err := r.send(c.Op, append(append([]*torch.Tensor{}, params...), c.Buffers...), 0); err != nil {
			return err
		}
	}
	o := native.ReducerOptions{
		Params: hs, Sparse: c.Sparse, Names: c.Names, Cap: 25 * mebibyte, FirstCap: mebibyte,
		FindUnused: c.FindUnusedParameters, BucketView: c.GradientAsBucketView, StaticGraph: c.StaticGraph,
		SkipUnused: c.SkipUnusedBuckets,
	}
	if o.Sparse == nil {
		o.Sparse = make([]bool, len(params))
	}
	for i := len(o.Names); i < len(params); i++ {
		o.Names = append(o.Names, c.name(i))
	}
	if c.BucketCap > 0 {
		o.Cap, o.FirstCap = c.BucketCap, c.BucketCap
	}
	switch {
	case len(c.BucketCaps) > 0:
		o.Caps, o.RebuildCaps = c.BucketCaps, c.BucketCaps
	case c.StaticGraph || !c.FindUnusedParameters:
		o.Caps = []int64{-1} // a single bucket, until the order of gradients is known
	case c.BucketCap > 0:
		o.Caps = []int64{o.Cap}
	default:
		o.Caps = []int64{o.FirstCap, o.Cap}
	}
	err := cross(c.Op, func(cx abi.Ctx) (st native.Status) {
		r.handles.reducer, st = native.NewReducer(cx, r.handles.relay, &o)
		return st
	}, params...)
	if err != nil {
		return err
	}
	r.relay.start(r.handles.reducer)
	return r.handles.names.set(r.handles.reducer)
}

// Broadcast sends tensors, such as buffers, from a rank in the group to all others.
func (r *Reducer) Broadcast(ts []*torch.Tensor, src int) error {
	if err := r.open(); err != nil {
		return err
	}
	return r.send(r.relay.op, ts, src)
}

func (r *Reducer) send(op string, ts []*torch.Tensor, src int) error {
	if len(ts) == 0 {
		return nil
	}
	var hs []abi.Tensor
	if err := torch.Try(func() { hs = torch.Handles(op+"(tensors)", ts, false) }); err != nil {
		return err
	}
	for i, t := range ts { // a program may have replaced a buffer
		if err := r.relay.g.broadcasts(op, fmt.Sprintf("tensors[%d]", i), t); err != nil {
			return err
		}
	}
	return cross(op, func(cx abi.Ctx) native.Status {
		return native.BroadcastCoalesced(cx, r.handles.relay, hs, pieces, src)
	}, ts...)
}

// SetContext sets the context of later waits. If it ends during one, the group ends too,
// since its ranks are then out of step.
func (r *Reducer) SetContext(ctx context.Context) { r.relay.setContext(ctx) }

// Agree sets what the ranks compare before the first collective of the next forward pass
// and of the next backward pass: a rank may leave out either. It fails if the last
// backward pass did not reach all parameters.
func (r *Reducer) Agree(forward, backward string) error {
	if err := r.reached(); err != nil {
		return err
	}
	r.relay.agree(r.relay.op+forward, r.relay.op+backward)
	return nil
}

// BeginForward begins a forward pass, which must not run concurrently with another pass
// on any goroutine: the ranks would send in different orders. EndForward ends it.
func (r *Reducer) BeginForward() error {
	if err := r.has(); err != nil {
		return err
	}
	return r.relay.beginForward()
}

// EndForward ends the forward pass, successful or not.
func (r *Reducer) EndForward() { r.relay.endForward() }

// PrepareForward begins an iteration. With sync its gradients will be averaged. It fails
// if the last backward pass did not reach all parameters.
func (r *Reducer) PrepareForward(sync bool) error {
	if err := r.reached(); err != nil {
		return err
	}
	if r.hook != nil {
		r.hook.reset()
	}
	if sync {
		if err := cross(r.relay.op, func(cx abi.Ctx) native.Status {
			return native.PrepareForward(cx, r.handles.reducer)
		}); err != nil {
			return err
		}
	}
	var rebuilt bool
	if err := cross(r.relay.op, func(cx abi.Ctx) (st native.Status) {
		rebuilt, st = native.RebuildBuckets(cx, r.handles.reducer)
		return st
	}); err != nil || !rebuilt {
		return err
	}
	return r.handles.names.set(r.handles.reducer)
}

// PrepareBackward makes the next backward pass average the gradients. outs are the
// outputs of the forward pass: their graph keeps alive what the pass needs, and with
// FindUnusedParameters it is searched for unused parameters. nil outputs are ignored.
func (r *Reducer) PrepareBackward(outs ...*torch.Tensor) error {
	if err := r.open(); err != nil {
		return err
	}
	outs = slices.DeleteFunc(slices.Clone(outs), func(t *torch.Tensor) bool { return t == nil })
	hs := torch.Handles(r.relay.op+"(outs)", outs, false)
	return cross(r.relay.op, func(cx abi.Ctx) native.Status {
		return native.PrepareBackward(cx, r.handles.reducer, hs, r.search)
	}, outs...)
}

// Delay makes the running backward pass, which calls this, average all gradients at its
// end.
func (r *Reducer) Delay() error {
	if err := r.open(); err != nil {
		return err
	}
	if err := failure(r.relay.op, r.handles.reducer.Delay()); err != nil {
		return err
	}
	return nil
}

// has returns an error for a closed reducer.
func (r *Reducer) has() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return wrong(r.relay.op, torch.ErrClosed, "receiver", "used after Close")
	}
	return nil
}

// reached is open, for a reducer whose last backward pass has reached all parameters.
// This is checked first: it may be why the group has ended.
func (r *Reducer) reached() error {
	if err := r.has(); err != nil {
		return err
	}
	if err := r.relay.finished(); err != nil {
		return err
	}
	return r.open()
}

// open also returns an error if the group has ended.
func (r *Reducer) open() error {
	if err := r.has(); err != nil {
		return err
	}
	return r.relay.g.must(r.relay.op)
}

// Close releases the parameters and the buckets. Gradients that are views of buckets stay
// valid, and so does what a pending backward pass needs.
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

// Divide sets the number by which gradients are divided from the next iteration on, 0 for
// the number of ranks.
func (r *Reducer) Divide(by int) error {
	if err := r.open(); err != nil {
		return err
	}
	return cross(r.relay.op, func(cx abi.Ctx) native.Status { return native.DivideBy(cx, r.handles.reducer, by) })
}

// Shadow is for a rank without inputs. It joins the averaging of one iteration of the other ranks,
// and contributes zeros. used says when the ranks exchange which parameters were used: before the
// gradients, after them or not at all.
func (r *Reducer) Shadow(used Used) error {
	if err := r.open(); err != nil {
		return err
	}
	if used < UsedNever || used > UsedBefore {
		return wrong("distributed.Reducer.Shadow", torch.ErrValue, "used",
			"is %d, expected UsedNever, UsedAfter or UsedBefore", used)
	}
	return cross(r.relay.op, func(cx abi.Ctx) native.Status { return native.Shadow(cx, r.handles.reducer, int(used)) })
}

// Used says when ranks exchange which parameters were used.
type Used int

// Never, after the gradients, or before them.
const (
	UsedNever  Used = native.UsedNever
	UsedAfter  Used = native.UsedAfter
	UsedBefore Used = native.UsedBefore
)
