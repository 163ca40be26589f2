package distributed

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// call is one call of a collective or of a send or receive, with its tensors.
type call struct {
	native.Call
	op          string // such as "distributed.ProcessGroup.AllReduce"
	outs, ins   []*torch.Tensor
	views       []*torch.Tensor // tensors made for the call, closed once the call has begun
	text        string          // describes the call in errors; must be equal on all ranks
	borrowed    bool            // the tensors' handles belong to the caller
	hasDeadline bool            // the call's time limit comes from a context's deadline
	// compareMore is a further comparison between the ranks, or nil. It runs when the call has its
	// turn.
	compareMore func(ctx context.Context, refused error) error
}

func (c *call) peer() int {
	switch c.Op {
	case native.Send, native.Recv:
		return c.Root
	case native.RecvAny:
		return anyone
	default:
		return everyone
	}
}

// interrupt ends the wait for a native work, and records the reason.
type interrupt struct {
	peer int // rank in the group, or everyone, or anyone

	mu  sync.Mutex
	raw native.Work // the native work; 0 once the wait is over
	why error
}

func (i *interrupt) endWait(why error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.raw != 0 && i.why == nil {
		i.why = why
		i.raw.Interrupt()
	}
}

// begin begins a call. For a collective, the caller must have its turn; see queue.
func (g *ProcessGroup) begin(ctx context.Context, c *call) (*flight, error) {
	left, err := timeLimit(ctx, c.op, -1)
	if err != nil {
		return nil, g.asGroupError(err, c.op)
	}
	c.Timeout = -1
	switch {
	case left > 0:
		c.Timeout, c.hasDeadline = left.Milliseconds(), true
	case c.peer() != everyone: // a message must not use the timeout that Gloo had for joining
		c.Timeout = min(g.timeout, longestWait).Milliseconds()
	}
	g.mu.Lock()
	if err := g.whyEnded(c.op); err != nil {
		g.mu.Unlock()
		return nil, err
	}
	g.users.Add(1) // Close waits for it
	g.lastBegin = time.Now()
	raw := g.raw
	g.mu.Unlock()
	defer g.users.Done()
	device := g.ncclDevice(c)
	if device >= 0 && c.peer() == everyone && !g.devices[device] {
		if err := g.connect(ctx, c, raw, device); err != nil {
			return nil, err
		}
	}
	var w native.Work
	var st native.Status
	err = torch.Try(func() {
		if !c.borrowed {
			c.Outs = torch.Handles(c.op+"(outputs)", c.outs, false)
			c.Ins = torch.Handles(c.op+"(inputs)", c.ins, false)
		}
		r := torch.BeginRaw(c.op)
		r.Use(c.outs...)
		r.Use(c.ins...)
		w, st = native.Begin(r.Ctx, raw, &c.Call)
		r.Status(st.Err)
	})
	if err != nil {
		return nil, g.refusedError(c, st.Kind, err)
	}
	f := &flight{
		g: g, call: c, onOwnStream: device >= 0 || usesCUDA(c.outs) || usesCUDA(c.ins),
		interrupt: &interrupt{raw: w, peer: c.peer()},
	}
	g.mu.Lock()
	g.pending[w] = f.interrupt
	switch { // the group may have been closed or ended meanwhile
	case g.raw == 0:
		f.interrupt.endWait(&Error{Kind: ErrClosed, Detail: "the group was closed"})
	case g.ended != nil:
		f.interrupt.endWait(g.ended)
	}
	g.mu.Unlock()
	f.cleanup = runtime.AddCleanup(f, g.abandon, f.interrupt)
	return f, nil
}

// ncclDevice returns the CUDA device whose tensors NCCL will send, or -1 if NCCL is not used.
func (g *ProcessGroup) ncclDevice(c *call) int {
	if g.backend != NCCL {
		return -1
	}
	for _, x := range slices.Concat(c.outs, c.ins) {
		if x.IsCUDA() {
			return x.Device().Index()
		}
	}
	return -1
}

// connect connects a CUDA device to the devices of the other ranks before its first
// collective. Otherwise the first collective would wait for the other ranks while it
// holds its place at the gate.
func (g *ProcessGroup) connect(ctx context.Context, c *call, raw native.Group, device int) error {
	g.users.Add(1) // connecting may continue after the context has ended
	err := abandonable(ctx, c.op, func() error {
		defer g.users.Done()
		return statusError(c.op, raw.ConnectNCCL(device))
	}, func() {})
	if err != nil {
		return g.endFailed(c, g.asGroupError(err, c.op))
	}
	if g.devices == nil {
		g.devices = map[int]bool{}
	}
	g.devices[device] = true
	return nil
}

// refusedError returns the error of a collective that could not begin. The cause is an argument, or
// the comparison of calls in libtorch, which communicates before it fails.
func (g *ProcessGroup) refusedError(c *call, kind native.Kind, err error) error {
	var e *torch.Error
	if !errors.As(err, &e) || errors.Is(e.Kind, torch.ErrClosed) {
		return err
	}
	if strings.Contains(e.Message, "Detected mismatch between collectives") {
		return &Error{
			Op: c.op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Call: c.text,
			Detail: firstLine(e.Message), Err: err,
		}
	}
	if k := kindOf(kind, e.Message); kind != native.Other || !errors.Is(k, ErrNetwork) {
		return g.endFailed(c, &Error{Kind: k, Detail: firstLine(e.Message), Err: err})
	}
	if c.peer() == everyone && len(g.ranks) > 1 { // the others would mistake the next call for this one
		return g.endFailed(c, &Error{Kind: ErrMismatch, Detail: firstLine(e.Message), Err: err})
	}
	return err
}

// forget frees a native work that no goroutine waits for.
func (g *ProcessGroup) forget(i *interrupt) {
	i.mu.Lock()
	raw := i.raw
	i.raw = 0
	i.mu.Unlock()
	if raw == 0 {
		return
	}
	g.mu.Lock()
	delete(g.pending, raw)
	g.mu.Unlock()
	raw.Free()
}

// abandon frees a native work that the program has dropped. A sent message must still arrive, so
// abandon first waits until the work is over. The garbage collector calls it.
func (g *ProcessGroup) abandon(i *interrupt) {
	i.mu.Lock()
	raw := i.raw
	over := raw == 0 || i.why != nil || raw.Done()
	i.mu.Unlock()
	if over {
		g.forget(i)
		return
	}
	go func() {
		_, _ = raw.Wait()
		g.forget(i)
	}()
}

// flight is a collective that has begun.
type flight struct {
	g           *ProcessGroup
	call        *call
	onOwnStream bool // NCCL or Gloo runs the collective on its own CUDA stream
	interrupt   *interrupt
	cleanup     runtime.Cleanup
}

// wait waits until the call has ended. It may be called once.
func (f *flight) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { f.interrupt.endWait(contextError(f.call.op, contextCause(ctx))) })
		defer stop()
	}
	ended, st := f.interrupt.raw.Wait()
	err := nativeError(f.call.op, st)
	if err == nil && ended {
		err = f.follow()
	}
	f.cleanup.Stop()
	f.interrupt.mu.Lock()
	why := f.interrupt.why
	f.interrupt.mu.Unlock()
	f.g.forget(f.interrupt)
	runtime.KeepAlive(f)
	switch {
	case err == nil && ended:
		return nil
	case why != nil:
		return f.g.gaveUpError(f.call, why)
	case err == nil:
		err = &Error{Op: f.call.op, Kind: ErrNetwork, Detail: "the collective was aborted"}
	}
	if errors.Is(err.Kind, ErrTimeout) && f.call.hasDeadline {
		err.Err = context.DeadlineExceeded
	}
	return f.g.endFailed(f.call, err)
}

func usesCUDA(ts []*torch.Tensor) bool { return slices.ContainsFunc(ts, (*torch.Tensor).IsCUDA) }

// follow makes the goroutine's current stream wait for the stream of NCCL or Gloo.
func (f *flight) follow() *Error {
	if !f.onOwnStream {
		return nil
	}
	var st native.Status
	err := torch.Try(func() {
		r := torch.BeginRaw(f.call.op)
		st = native.Follow(r.Ctx, f.interrupt.raw)
		r.Status(st.Err)
	})
	if err != nil {
		return &Error{Op: f.call.op, Kind: kindOf(st.Kind, err.Error()), Err: err, Detail: firstLine(err.Error())}
	}
	return nil
}

// waitSource waits for a receive with AnySource, and returns the sender's rank in the group. It
// must be called instead of wait.
func (f *flight) waitSource(ctx context.Context) (int, error) {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { f.interrupt.endWait(contextError(f.call.op, contextCause(ctx))) })
		defer stop()
	}
	ended, st := f.interrupt.raw.Wait()
	if st.Err == 0 && ended {
		from := f.interrupt.raw.Source()
		f.cleanup.Stop()
		f.g.forget(f.interrupt)
		return from, nil
	}
	_ = statusError(f.call.op, st)
	return -1, f.wait(ctx)
}

// gaveUpError returns the error of a call whose wait ended before the call did. why is the reason.
func (g *ProcessGroup) gaveUpError(c *call, why error) error {
	var e *Error
	if !errors.As(why, &e) {
		return why
	}
	own := *e
	own.Op, own.Call, own.Rank, own.World = c.op, c.text, g.rank, len(g.ranks)
	if errors.Is(own.Kind, ErrTimeout) || errors.Is(own.Kind, ErrCanceled) {
		return g.endFailed(c, &own)
	}
	return &own
}

// endFailed ends the group, because its ranks are out of step, and determines which ranks are at
// fault.
func (g *ProcessGroup) endFailed(c *call, e *Error) error {
	e.Op, e.Call, e.Rank, e.World = c.op, c.text, g.rank, len(g.ranks)
	g.holdNext()
	if !errors.Is(e.Kind, ErrCanceled) {
		g.watch.addGoneRanks(e)
	} else {
		g.watch.tellOthers(e)
		go g.watch.announceEnd() // Close also announces the end
	}
	g.endGroup(e)
	return e
}

// holdNext prevents further collectives until endGroup records the cause, and returns the time
// since the last one began.
func (g *ProcessGroup) holdNext() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.endsSoon = true
	return time.Since(g.lastBegin)
}

// endGroup prevents further collectives, and ends the waits for pending ones.
func (g *ProcessGroup) endGroup(why *Error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended == nil {
		g.ended = why
		g.stop()
		g.giveUpCUDA()
	}
	for _, i := range g.pending {
		i.endWait(why)
	}
}

// giveUpCUDA aborts NCCL's pending work. Otherwise the device, and any call that reads
// from it, would wait forever. The caller must hold mu.
func (g *ProcessGroup) giveUpCUDA() {
	if g.backend != NCCL || g.raw == 0 {
		return
	}
	g.users.Add(1)
	raw := g.raw
	go func() {
		defer g.users.Done()
		raw.Abort()
	}()
}

// Work is a collective that has begun and may still be pending. Do not read or write its
// tensors before it has ended. The tensors may be closed earlier, because Work keeps
// their memory.
type Work struct {
	once     sync.Once
	done     chan struct{}
	err      error
	wait     func(ctx context.Context) error // waits for the end, called once
	hasEnded func() bool
}

// Wait waits until the collective has ended, and returns its error. If the context ends first, the
// collective is given up. Wait may be called several times and by several goroutines; only the
// first caller's context is used. Follows Work.wait.
func (w *Work) Wait(ctx context.Context) error {
	const op = "distributed.Work.Wait"
	if w == nil || w.wait == nil {
		return argumentError(op, torch.ErrNil, "receiver", "was not returned by an asynchronous collective")
	}
	w.once.Do(func() {
		w.err = w.wait(ctx)
		close(w.done)
	})
	return w.err
}

// IsCompleted reports whether the collective has ended, successfully or not. Follows
// Work.is_completed.
func (w *Work) IsCompleted() bool {
	if w == nil || w.wait == nil {
		panic(argumentError("distributed.Work.IsCompleted", torch.ErrNil, "receiver",
			"was not returned by an asynchronous collective"))
	}
	select {
	case <-w.done:
		return true
	default:
		return w.hasEnded()
	}
}

func newWork(wait func(ctx context.Context) error, is func() bool) *Work {
	return &Work{done: make(chan struct{}), wait: wait, hasEnded: is}
}

func (f *flight) isDone() bool {
	f.interrupt.mu.Lock()
	defer f.interrupt.mu.Unlock()
	return f.interrupt.raw == 0 || f.interrupt.raw.Done()
}
