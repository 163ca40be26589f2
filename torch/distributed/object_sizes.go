package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// refusedSize is the size that a rank announces if its arguments are invalid.
const refusedSize = -1

// gatherBytes returns the encoded values of all ranks. If the arguments of a rank are invalid, the
// other ranks get an error.
func (g *ProcessGroup) gatherBytes(ctx context.Context, op string, e Encoding, value any,
	refused error,
) ([][]byte, error) {
	if err := g.checkReady(op); err != nil {
		return nil, err
	}
	var own []byte
	if refused == nil {
		own, refused = e.encode(op, "value", value)
	}
	size := int64(len(own))
	if refused != nil {
		size = refusedSize
	}
	var all [][]byte
	err := g.tryScoped(func() error {
		world := int64(len(g.ranks))
		out := torch.Empty(torch.Shape{world}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(size)); err != nil {
			return err
		}
		sizes := out.Int64s()
		if err := firstError(refused, g.refusalError(op, sizes)); err != nil {
			return err
		}
		widest := max(1, slices.Max(sizes))
		row := make([]byte, widest)
		copy(row, own)
		rows := torch.Empty(torch.Shape{world * widest}, torch.Uint8, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, rows, bytesOf(row)); err != nil {
			return err
		}
		for row := range slices.Chunk(rows.Uint8s(), int(widest)) {
			all = append(all, row[:sizes[len(all)]])
		}
		return nil
	})
	return all, g.withOp(op, err)
}

// refusalError returns the error for ranks with invalid arguments, or for a rank that announces an
// impossible size.
func (g *ProcessGroup) refusalError(op string, sizes []int64) error {
	var ranks []int
	for r, n := range sizes {
		switch {
		case n == refusedSize:
			ranks = append(ranks, g.ranks[r])
		case n < 0 || n > mostObject:
			return g.announcedSizeError(op, g.ranks[r], n)
		}
	}
	if ranks == nil {
		return nil
	}
	return &Error{
		Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: ranks,
		Detail: "refused its arguments",
	}
}

// announcedSizeError returns the error for a rank that announces an impossible size.
func (g *ProcessGroup) announcedSizeError(op string, rank int, size int64) *Error {
	return &Error{
		Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: []int{rank},
		Detail: fmt.Sprintf("rank %d announces %d bytes, expected 0 to %d", rank, size, int64(mostObject)),
	}
}

// withOp returns an error of a nested call as an error of op.
func (g *ProcessGroup) withOp(op string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op = op
	}
	return err
}

func numbersOf(n ...int64) *torch.Tensor {
	return torch.FromSliceWith(n, torch.Shape{int64(len(n))}, torch.CPU)
}

func bytesOf(b []byte) *torch.Tensor {
	return torch.FromSliceWith(b, torch.Shape{int64(len(b))}, torch.CPU)
}
