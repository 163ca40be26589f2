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

// relay represents a group to libtorch's reducer: it runs the reducer's collectives. libtorch
// identifies it by a number.
type relay struct {
	g  *ProcessGroup
	op string // name of the module in errors

	names       []string // names of the parameters
	mayBeUnused bool     // some parameters may be unused

	inUse   sync.Mutex     // held while the reducer must not be freed
	reducer native.Reducer // 0 before start and after end

	hook bucketCount // counts the buckets that a comm hook is using

	mu      sync.Mutex
	ctx     context.Context // of Reducer.SetContext; Backward has no argument for it
	compare comparisons
	forward bool  // a forward pass is running
	pass    int64 // the backward pass that is running collectives
	running int
}

func init() {
	native.Callbacks.Begin = relayBegin
	native.Callbacks.Wait = relayWait
	native.Callbacks.Bucket = hookBegin
	native.Callbacks.BucketEnd = hookEnd
}

// outsideGate runs Go code that libtorch calls. The gate limits how many goroutines run operators.
// The code waits for other ranks, which may be goroutines that need a place at the gate, so
// outsideGate gives up its own place meanwhile.
func outsideGate(fn func()) (tag int64) {
	entry.Leave()
	tag = callback.Guard(fn)
	// Not deferred: if fn ends its goroutine, that goroutine must not take a place at the gate.
	entry.Reenter()
	return tag
}

// relayedFlight is a flight that libtorch identifies by a number.
type relayedFlight struct {
	*flight
	r    *relay
	pass int64
}

// Release is called when libtorch will not wait for the flight.
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

// enterPass records a collective of a backward pass. It fails during another pass, because the
// ranks would send in different orders.
func (r *relay) enterPass(pass int64) error {
	if pass < 0 {
		return nil
	}
	r.mu.Lock()
	if r.forward || r.running > 0 && r.pass != pass {
		r.mu.Unlock()
		return r.misuseError("a backward pass began during another pass")
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
		return r.misuseError("a forward pass began during another pass, or after a failed backward pass")
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

// misuseError returns an error about concurrent passes, and reports it to the other ranks, which
// may be waiting for this one.
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

// begin begins a collective of the reducer, after the ranks have compared their calls.
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

// comparisons holds the texts that the ranks compare before the first collective of a forward pass
// and of a backward pass. Empty texts are not compared.
type comparisons struct{ forward, backward string }

func (r *relay) setComparisons(forward, backward string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compare = comparisons{forward, backward}
}

// compareCalls runs the pending comparison, if any, before a collective of the reducer.
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

// newNative makes the native part of the relay. Its callbacks panic with a *torch.Error that wraps
// the group's error.
func (r *relay) newNative() (native.Relay, error) {
	id := callback.RegisterAs(inmemory.Collectives, r)
	raw, st := native.NewRelay(id, r.g.rank, len(r.g.ranks), r.g.name)
	if err := statusError(r.op, st); err != nil {
		return 0, err
	}
	return raw, nil
}

// callReducer runs a native call of the reducer that uses tensors. If the error wraps an *Error of
// the group, it returns that *Error.
func callReducer(op string, do native.Step, tensors ...*torch.Tensor) error {
	return groupError(torch.Try(func() {
		r := torch.BeginRaw(op)
		r.Use(tensors...)
		st := native.Do(r.Ctx, do)
		r.Status(st.Err)
	}))
}
