package distributed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// AnySource can be passed as src: the receive then accepts a message from any rank.
const AnySource = -1

// A PairOption configures point-to-point messages: [Tag].
//
//gotorch:options Tag
type PairOption interface{ pairOption() }

// Tag is a number from 0 to 1<<30 that distinguishes messages. A receive accepts only messages with
// its tag. The default is 0.
type Tag int

const mostTag = 1 << 30

// Send sends x to rank dst, which must receive it. It returns once the memory of x may be
// reused. Follows send.
func (g *ProcessGroup) Send(ctx context.Context, x *torch.Tensor, dst int, opts ...PairOption) error {
	w, err := g.send(ctx, "Send", x, dst, opts)
	if err != nil {
		return err
	}
	return w.Wait(ctx)
}

// ISend is [ProcessGroup.Send] without waiting. Follows isend.
func (g *ProcessGroup) ISend(ctx context.Context, x *torch.Tensor, dst int, opts ...PairOption) (*Work, error) {
	return g.send(ctx, "ISend", x, dst, opts)
}

// Recv receives a tensor into x from rank src, or with [AnySource] from any rank, and
// returns the sender's rank. Follows recv.
func (g *ProcessGroup) Recv(ctx context.Context, x *torch.Tensor, src int, opts ...PairOption) (int, error) {
	from := src
	w, err := g.recv(ctx, "Recv", x, src, &from, opts)
	if err == nil {
		err = w.Wait(ctx)
	}
	if err != nil {
		return -1, err
	}
	return from, nil
}

// IRecv is [ProcessGroup.Recv] without waiting. It does not return the sender's rank. Follows
// irecv.
func (g *ProcessGroup) IRecv(ctx context.Context, x *torch.Tensor, src int, opts ...PairOption) (*Work, error) {
	from := src
	return g.recv(ctx, "IRecv", x, src, &from, opts)
}

// P2POp describes a send or a receive for [ProcessGroup.BatchISendIRecv].
type P2POp struct {
	Send bool          // false to receive
	X    *torch.Tensor // the tensor to send or fill
	Peer int           // the rank to send to or receive from, or AnySource
	Tag  int           // as the Tag option
}

// BatchISendIRecv begins several sends and receives, in any order, and returns a Work for
// each. If one of them cannot begin, BatchISendIRecv waits for those that have begun and
// returns the error. Follows batch_isend_irecv.
func (g *ProcessGroup) BatchISendIRecv(ctx context.Context, ops []P2POp) ([]*Work, error) {
	works := make([]*Work, 0, len(ops))
	for i, o := range ops { // check all ops before the first one begins
		if err := g.checkPair(o); err != nil {
			return nil, fmt.Errorf("ops[%d]: %w", i, err)
		}
	}
	for i, o := range ops {
		begin := g.IRecv
		if o.Send {
			begin = g.ISend
		}
		w, err := begin(ctx, o.X, o.Peer, Tag(o.Tag))
		if err != nil {
			for _, w := range works {
				_ = w.Wait(ctx) // ignored: BatchISendIRecv returns the error of the op that could not begin
			}
			return nil, fmt.Errorf("ops[%d]: %w", i, err)
		}
		works = append(works, w)
	}
	return works, nil
}

// checkPair returns an error if o cannot be sent or received.
func (g *ProcessGroup) checkPair(o P2POp) error {
	name, what, arg := "IRecv", native.Recv, "src"
	switch {
	case o.Send:
		name, what, arg = "ISend", native.Send, "dst"
	case o.Peer == AnySource:
		what = native.RecvAny
	}
	c, err := g.pairCall(name, what, o.X, arg, o.Peer, []PairOption{Tag(o.Tag)})
	c.free()
	return err
}

// pairCall makes the call of a send or a receive.
func (g *ProcessGroup) pairCall(name string, what native.Op, x *torch.Tensor, arg string, peer int,
	opts []PairOption,
) (*call, error) {
	return g.newCall(name, what, []*torch.Tensor{x}, nil, func(c *call) error {
		for _, o := range opts {
			switch o := o.(type) {
			case Tag:
				c.Tag = int(o)
			default:
				return torch.BadOption(c.op, o)
			}
		}
		if c.Tag < 0 || c.Tag > mostTag {
			return argumentError(c.op, torch.ErrValue, "Tag", "expected 0 to %d, got %d", mostTag, c.Tag)
		}
		if err := checkUsable(c.op, "x", x); err != nil {
			return err
		}
		if err := checkContiguous(c.op, "x", x); err != nil {
			return err
		}
		if x.Layout() != torch.Strided {
			return argumentError(c.op, torch.ErrValue, "x", "expected a dense tensor, got one of layout %v", x.Layout())
		}
		c.text = fmt.Sprintf("%s %s", describe(x), tagText(c.Tag))
		if c.Op == native.RecvAny {
			return nil
		}
		if err := g.setRoot(c, arg, peer); err != nil {
			return err
		}
		if c.Root == g.rank {
			return argumentError(c.op, torch.ErrValue, arg, "rank %d is this process", peer)
		}
		return nil
	})
}

func tagText(tag int) string { return fmt.Sprintf("tag %d", tag) }

// If all ranks are Go processes, Send sends two messages: a description of the tensor,
// and then the tensor. So a receiver that expects a different shape or dtype gets an
// error and does not crash. header is the number of elements of the description.
const header = 2

func (g *ProcessGroup) send(ctx context.Context, name string, x *torch.Tensor, dst int,
	opts []PairOption,
) (*Work, error) {
	c, err := g.pairCall(name, native.Send, x, "dst", dst, opts)
	defer c.free()
	if err := firstError(g.checkReady(c.op), err); err != nil {
		return nil, err
	}
	var head *flight
	turn, err := g.waitTurn(ctx, c.op, &g.sending)
	if err != nil {
		return nil, err
	}
	defer turn.leave()
	if g.checksCalls {
		err := g.tryScoped(func() error {
			h := torch.FromSliceWith([]int64{fingerprint(c.text), x.Numel() * x.DType().Size()}, torch.Shape{header},
				torch.CPU)
			var err error
			head, err = g.begin(ctx, &call{Call: c.Call, op: c.op, outs: []*torch.Tensor{h}, text: c.text})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	f, err := g.begin(ctx, c)
	if err != nil {
		if head != nil { // the header is on its way, but the tensor will not follow
			err = g.gaveUpError(c, g.asGroupError(err, c.op))
			head.cleanup.Stop()
			g.forget(head.interrupt)
		}
		return nil, err
	}
	return newWork(func(ctx context.Context) error {
		if head != nil {
			if err := head.wait(ctx); err != nil {
				return err
			}
		}
		return f.wait(ctx)
	}, f.isDone), nil
}

func (g *ProcessGroup) recv(ctx context.Context, name string, x *torch.Tensor, src int, from *int,
	opts []PairOption,
) (*Work, error) {
	what := native.Recv
	if src == AnySource {
		what = native.RecvAny
	}
	c, err := g.pairCall(name, what, x, "src", src, opts)
	if err := firstError(g.checkReady(c.op), err); err != nil {
		c.free()
		return nil, err
	}
	if !g.checksCalls {
		defer c.free()
		f, err := g.begin(ctx, c)
		if err != nil {
			return nil, err
		}
		return newWork(func(ctx context.Context) error { return g.waitReceived(ctx, f, from) }, f.isDone), nil
	}
	if err := g.keepForLater(ctx, c); err != nil {
		return nil, err
	}
	// Receives of one pair of ranks run one after the other, because a tensor follows its header.
	own, giveUp := outlastingContext(ctx)
	place := g.pairs.take(c)
	done := make(chan struct{})
	onStreams := onCallersStreams(c.op)
	trace.Go(func() {
		defer close(done)
		defer g.recoverTo(&err)
		defer c.free()
		defer g.pairs.leave(c, place)
		if err = g.waitTurnOf(own, c, place); err == nil {
			onStreams(func() { err = g.checkedRecv(own, c, from) })
		}
	})
	return newWork(func(ctx context.Context) error {
		defer giveUp(nil)
		stop := context.AfterFunc(ctx, func() { giveUp(ctx.Err()) })
		defer stop()
		<-done
		return err
	}, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}), nil
}

// waitReceived waits for a receive and stores the sender's rank in from.
func (g *ProcessGroup) waitReceived(ctx context.Context, f *flight, from *int) error {
	if f.call.Op != native.RecvAny {
		return f.wait(ctx)
	}
	r, err := f.waitSource(ctx)
	if err == nil {
		*from = g.GlobalRank(r)
	}
	return err
}

// checkedRecv receives the description of a tensor, and then the tensor.
func (g *ProcessGroup) checkedRecv(ctx context.Context, c *call, from *int) error {
	var v []int64
	err := g.tryScoped(func() error {
		h := torch.Zeros(torch.Shape{header}, torch.Int64, torch.CPU)
		f, err := g.begin(ctx, &call{Call: c.Call, op: c.op, outs: []*torch.Tensor{h}, text: c.text})
		if err != nil {
			return err
		}
		err = g.waitReceived(ctx, f, from)
		v = h.Int64s()
		return err
	})
	if err != nil {
		return err
	}
	if c.Op == native.RecvAny {
		c.Op, c.Root = native.Recv, g.GroupRank(*from)
	}
	if v[0] == fingerprint(c.text) {
		f, err := g.begin(ctx, c)
		if err != nil {
			return err
		}
		return f.wait(ctx)
	}
	sender := g.ranks[c.Root]
	if v[1] < 0 {
		return g.endFailed(c, g.announcedSizeError(c.op, sender, v[1]))
	}
	// The sender waits until its tensor is received. So receive the tensor and drop it.
	if err := g.tryScoped(func() error {
		rest := torch.Empty(torch.Shape{v[1]}, torch.Uint8, torch.CPU)
		f, err := g.begin(ctx, &call{Call: c.Call, op: c.op, outs: []*torch.Tensor{rest}, text: c.text})
		if err != nil {
			return err
		}
		return f.wait(ctx)
	}); err != nil {
		return err
	}
	return &Error{
		Op: c.op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Call: c.text, Ranks: []int{sender},
		Detail: fmt.Sprintf("rank %d sent a different shape or dtype; its %d bytes were dropped", sender, v[1]),
	}
}

// receiveChains holds the pending receives by tag. Each receive waits for the earlier receives that
// could take the same message.
type receiveChains struct {
	mu   sync.Mutex
	tags map[int]*receiveChain
}

// receiveChain holds the pending receives of one tag: the last receive with AnySource and, for each
// peer, the last receive from that peer that began after it.
type receiveChain struct {
	open  int // number of receives that have not ended
	any   chan struct{}
	peers map[int]chan struct{}
}

// take returns a place for a receive, behind all earlier receives that could take the same message.
func (c *receiveChains) take(of *call) *queuePlace {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tags == nil {
		c.tags = map[int]*receiveChain{}
	}
	t := c.tags[of.Tag]
	if t == nil {
		t = &receiveChain{peers: map[int]chan struct{}{}}
		c.tags[of.Tag] = t
	}
	t.open++
	if of.Op == native.RecvAny {
		p := newQueuePlace(append(slices.Collect(maps.Values(t.peers)), t.any)...)
		t.any = p.left
		clear(t.peers)
		return p
	}
	before := t.peers[of.Root]
	if before == nil {
		before = t.any
	}
	p := newQueuePlace(before)
	t.peers[of.Root] = p.left
	return p
}

// leave ends a receive, and removes the tag's chain if that was the tag's last receive.
func (c *receiveChains) leave(of *call, p *queuePlace) {
	p.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tags[of.Tag]; t != nil {
		if t.open--; t.open == 0 {
			delete(c.tags, of.Tag)
		}
	}
}
