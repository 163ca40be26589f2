package distributed

import (
	"context"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// AllGatherObject collects the values of all ranks on all ranks, in rank order. into points
// to the slice that receives them. Follows all_gather_object.
func (g *ProcessGroup) AllGatherObject(ctx context.Context, value, into any, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.AllGatherObject"
	e, err := readEncoding(op, opts)
	err = firstError(err, checkTarget(op, "into", into, reflect.Slice))
	all, err := g.gatherBytes(ctx, op, e, value, err)
	if err != nil {
		return err
	}
	return e.decodeAll(op, "into", all, into)
}

// GatherObject collects the values of all ranks on rank dst; see [ProcessGroup.AllGatherObject].
// into must be nil on other ranks. Follows gather_object.
func (g *ProcessGroup) GatherObject(ctx context.Context, value, into any, dst int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.GatherObject"
	e, err := readEncoding(op, opts)
	if g != nil && err == nil {
		if _, err = g.groupRank(op, "dst", dst); err == nil && dst == g.globalRank {
			err = checkTarget(op, "into", into, reflect.Slice)
		}
	}
	all, err := g.gatherBytes(ctx, op, e, value, err)
	if err != nil || dst != g.globalRank {
		return err
	}
	return e.decodeAll(op, "into", all, into)
}

// BroadcastObject copies a value from rank src to all other ranks. On every rank value is a
// pointer. On the other ranks the copy replaces what the variable held, except fields that the
// encoding does not send. Follows broadcast_object_list.
func (g *ProcessGroup) BroadcastObject(ctx context.Context, value any, src int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.BroadcastObject"
	if err := g.checkReady(op); err != nil {
		return err
	}
	e, refused := readEncoding(op, opts)
	_, stranger := g.groupRank(op, "src", src)
	refused = firstError(refused, stranger, checkTarget(op, "value", value, 0))
	var b []byte
	if src == g.globalRank && refused == nil {
		b, refused = e.encode(op, "value", value)
	}
	size := int64(len(b))
	if refused != nil {
		size = refusedSize
	}
	var got []byte
	err := g.tryScoped(func() error {
		// All ranks send their size, so that every rank learns which ranks refused their arguments.
		out := torch.Empty(torch.Shape{int64(len(g.ranks))}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(size)); err != nil {
			return err
		}
		sizes := out.Int64s()
		if err := firstError(refused, g.refusalError(op, sizes)); err != nil {
			return err
		}
		x := bytesOf(b)
		if src != g.globalRank {
			x = torch.Empty(torch.Shape{sizes[g.GroupRank(src)]}, torch.Uint8, torch.CPU)
		}
		if err := g.Broadcast(ctx, x, src); err != nil || src == g.globalRank {
			return err
		}
		got = x.Uint8s()
		return nil
	})
	if err != nil || src == g.globalRank {
		return g.withOp(op, err)
	}
	return e.decode(op, "value", got, value)
}

// ScatterObject copies element r of values on rank src to the variable that into points to on rank
// r. It replaces what the variable held, as [ProcessGroup.BroadcastObject] does. values is a
// slice with one element for each rank, and must be nil on ranks other than src. Follows scatter_object_list.
func (g *ProcessGroup) ScatterObject(ctx context.Context, into, values any, src int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.ScatterObject"
	if err := g.checkReady(op); err != nil {
		return err
	}
	e, refused := readEncoding(op, opts)
	_, stranger := g.groupRank(op, "src", src)
	refused = firstError(refused, stranger, checkTarget(op, "into", into, 0))
	sizes, rows := make([]int64, len(g.ranks)), make([][]byte, len(g.ranks))
	if src == g.globalRank && refused == nil {
		rows, refused = e.encodeEach(op, values, len(g.ranks))
		for r, b := range rows {
			sizes[r] = int64(len(b))
		}
	}
	var got []byte
	err := g.tryScoped(func() error {
		state := int64(0)
		if refused != nil {
			state = refusedSize
		}
		out := torch.Empty(torch.Shape{int64(len(g.ranks))}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(state)); err != nil {
			return err
		}
		if err := firstError(refused, g.refusalError(op, out.Int64s())); err != nil {
			return err
		}
		n := numbersOf(sizes...)
		if err := g.Broadcast(ctx, n, src); err != nil {
			return err
		}
		sizes := n.Int64s()
		for _, size := range sizes {
			if size < 0 || size > mostObject {
				return g.announcedSizeError(op, src, size)
			}
		}
		widest := max(1, slices.Max(sizes))
		var ins []*torch.Tensor
		for _, b := range rows {
			if src == g.globalRank {
				ins = append(ins, bytesOf(append(b, make([]byte, int(widest)-len(b))...)))
			}
		}
		x := torch.Empty(torch.Shape{widest}, torch.Uint8, torch.CPU)
		if err := g.Scatter(ctx, x, ins, src); err != nil {
			return err
		}
		got = x.Uint8s()[:sizes[g.rank]]
		return nil
	})
	if err != nil {
		return g.withOp(op, err)
	}
	return e.decode(op, "into", got, into)
}
