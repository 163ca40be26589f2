package distributed

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A value is sent in two messages: its size, and its bytes. The upper bits of the size contain a
// mark, which distinguishes it from a number sent by Send.
const (
	sizeBits = 40
	sizeMark = int64(0x4f626a) << sizeBits
)

// SendObject sends a value to rank dst. Follows send_object_list.
func (g *ProcessGroup) SendObject(ctx context.Context, value any, dst int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.SendObject"
	e, err := readEncoding(op, opts)
	if err != nil {
		return err
	}
	b, err := e.encode(op, "value", value)
	if err := firstError(g.checkReady(op), err); err != nil {
		return err
	}
	return g.withOp(op, g.tryScoped(func() error {
		if err := g.Send(ctx, numbersOf(sizeMark|int64(len(b))), dst); err != nil {
			return err
		}
		return g.Send(ctx, bytesOf(b), dst)
	}))
}

// RecvObject receives a value that was sent by SendObject, from rank src or, with
// [AnySource], from any rank. It stores the value where into points, in place of the
// earlier value as [ProcessGroup.BroadcastObject] does, and returns the sender's rank. If
// the message was sent by Send, RecvObject drops it and returns ErrMismatch. Follows
// recv_object_list.
func (g *ProcessGroup) RecvObject(ctx context.Context, into any, src int, opts ...ObjectOption) (int, error) {
	const op = "distributed.ProcessGroup.RecvObject"
	e, err := readEncoding(op, opts)
	if err := firstError(g.checkReady(op), err, checkTarget(op, "into", into, 0)); err != nil {
		return -1, err
	}
	from := -1
	var got []byte
	err = g.tryScoped(func() error {
		n := numbersOf(0)
		var err error
		if from, err = g.Recv(ctx, n, src); err != nil {
			return err
		}
		size := n.Int64s()[0]
		if size>>sizeBits != sizeMark>>sizeBits {
			return &Error{
				Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: []int{from},
				Detail: fmt.Sprintf("rank %d sent the number %d by Send, expected a value sent by SendObject", from,
					size),
			}
		}
		if size &= 1<<sizeBits - 1; size > mostObject {
			return g.announcedSizeError(op, from, size)
		}
		x := torch.Empty(torch.Shape{size}, torch.Uint8, torch.CPU)
		if _, err = g.Recv(ctx, x, from); err != nil {
			return err
		}
		got = x.Uint8s()
		return nil
	})
	if err != nil {
		return from, g.withOp(op, err)
	}
	return from, e.decode(op, "into", got, into)
}
