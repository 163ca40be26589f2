package distributed

import (
	"context"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/entry"
	inmemory "github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// relay is a group as libtorch's reducer sees it: it runs the reducer's collectives.
// libtorch refers to it by number.
type relay struct {
	g  *ProcessGroup
	op string // of the module, for errors

	names       []string // of the parameters
	mayBeUnused bool     // some may be unused

	inUse   sync.Mutex     // held while the reducer must not be freed
	reducer native.Reducer // 0 before and after

	hook bucketCount // of the reducer, while it has buckets

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // a backward pass has no argument for it
	compare comparisons
	forward bool  // a forward pass is running
	pass    int64 // the running backward pass, while it runs collectives
	running int
}

func init() {
	native.Callbacks.Begin = relayBegin
	native.Callbacks.Wait = relayWait
	native.Callbacks.Bucket = hookBegin
	native.Callbacks.BucketEnd = hookEnd
}

// outsideGate runs Go code called by libtorch, without its place at the gate: the code waits
// for other ranks, which may be goroutines that need it.
func outsideGate(fn func()) (tag int64) {
	entry.Leave()
	tag = callback.Guard(fn)
	// Not deferred: a goroutine that ends in fn must not take its place with it.
	entry.Reenter()
	return tag
}

// relayedFlight is a flight to which libtorch refers by number.
type relayedFlight struct {
	*flight
	r    *relay
	pass int64
}

// Release is called when nobody will wait for it.
func (f *relayedFlight) Release() {
	f.cleanup.Stop()
	f.g.forget(f.interrupt)
}

func relayBegin(id, pass int64, c *native.Call) (flight int64, w native.Work, tag int64) {
	tag = outsideGate(func() {
		r := callback.Of[*relay](id)
		if err := r.enterPass(pass); err != nil {
			panic(err)
		}
		f, err := r.begin(c)
		if err != nil {
			r.leavePass(pass)
			panic(err)
		}
		w = f.interrupt.raw
		flight = callback.RegisterAs(inmemory.Collectives, &relayedFlight{f, r, pass})
	})
	return flight, w, tag
}

func relayWait(id int64) (tag int64) {
	return outsideGate(func() {
		f := callback.Of[*relayedFlight](id)
		defer f.r.leavePass(f.pass)
		if err := f.wait(f.r.context()); err != nil {
			panic(err)
		}
	})
}

// enterPass records a collective of a backward pass. With two passes at once the ranks would
// send in different orders.
func (r *relay) enterPass(pass int64) error {
	if pass < 0 {
		return nil
	}
	r.mu.Lock()
	if r.forward || r.running > 0 && r.pass != pass {
		r.mu.Unlock()
		return r.misuseError("a backward pass during another pass")
	}
	defer r.mu.Unlock()
	r.pass = pass
	r.running++
	return nil
}

func (r *relay) leavePass(pass int64) {
	if pass < 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
}

// beginForward and endForward enclose a forward pass.
func (r *relay) beginForward() error {
	r.mu.Lock()
	if r.forward || r.running > 0 {
		r.mu.Unlock()
		return r.misuseError("a forward pass during another pass, or after a failed backward pass")
	}
	defer r.mu.Unlock()
	r.forward = true
	return nil
}

func (r *relay) endForward() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forward = false
}

// misuseError tells the other ranks, which may wait for this one.
func (r *relay) misuseError(what string) error {
	detail := what + ": only one goroutine at a time may use the module"
	_ = r.g.endFailed(&call{op: r.op}, &Error{Kind: ErrMismatch, Ranks: []int{r.g.globalRank}, Detail: detail})
	return torch.NewError(r.op, torch.ErrValue, "receiver", detail)
}

func (r *relay) context() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ctx
}

func (r *relay) setContext(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx = ctx
}

// begin begins a collective of the reducer, once all ranks are known to call it.
func (r *relay) begin(raw *native.Call) (*flight, error) {
	ctx := r.context()
	if err := r.compareCalls(ctx); err != nil {
		return nil, err
	}
	if err := r.g.checkOpen(r.op); err != nil {
		return nil, err
	}
	c := &call{Call: *raw, op: r.op, text: relayText[raw.Op], borrowed: true}
	p, err := r.g.waitTurn(ctx, r.op, &r.g.order)
	if err != nil {
		return nil, err
	}
	defer p.leave()
	return r.g.begin(ctx, c)
}

// comparisons are what the ranks compare before the first collective of a forward and of
// a backward pass, if not empty.
type comparisons struct{ forward, backward string }

func (r *relay) setComparisons(forward, backward string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compare = comparisons{forward, backward}
}

// compareCalls does the pending comparison before a collective of the reducer.
func (r *relay) compareCalls(ctx context.Context) error {
	r.mu.Lock()
	due := &r.compare.backward
	if r.forward {
		due = &r.compare.forward
	}
	text := *due
	*due = ""
	r.mu.Unlock()
	if text == "" || !r.g.checksCalls {
		return nil
	}
	if err := r.g.checkOpen(r.op); err != nil {
		return err
	}
	p, err := r.g.waitTurn(ctx, r.op, &r.g.order)
	if err != nil {
		return err
	}
	defer p.leave()
	return r.g.checkAgreement(ctx, &call{op: r.op, text: text}, nil)
}

var relayText = map[native.Op]string{
	native.AllReduce: "the sum of gradients",
	native.Broadcast: "a broadcast of parameters, buffers or buckets",
	native.AllGather: "the comparison of parameters",
}

// newNative makes libtorch's side of the relay. Its callbacks panic with a *torch.Error that
// wraps the group's error.
func (r *relay) newNative() (native.Relay, error) {
	id := callback.RegisterAs(inmemory.Collectives, r)
	raw, st := native.NewRelay(id, r.g.rank, len(r.g.ranks), r.g.name)
	if err := statusError(r.op, st); err != nil {
		return 0, err
	}
	return raw, nil
}

// callReducer makes a call of the reducer that uses tensors, and returns its error: the
// group's, if there is one.
func callReducer(op string, do native.Step, tensors ...*torch.Tensor) error {
	return groupError(torch.Try(func() {
		r := torch.BeginRaw(op)
		r.Use(tensors...)
		st := native.Do(r.Ctx, do)
		r.Status(st.Err)
	}))
}
