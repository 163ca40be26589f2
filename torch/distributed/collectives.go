package distributed

import (
	"context"
	"fmt"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// Broadcast copies x from rank src to x on all other ranks. Follows broadcast.
func (g *ProcessGroup) Broadcast(ctx context.Context, x *torch.Tensor, src int) error {
	c, err := g.broadcast("Broadcast", x, src)
	return g.runCall(ctx, c, err)
}

// BroadcastAsync is [ProcessGroup.Broadcast] without waiting.
func (g *ProcessGroup) BroadcastAsync(ctx context.Context, x *torch.Tensor, src int) (*Work, error) {
	c, err := g.broadcast("BroadcastAsync", x, src)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) broadcast(name string, x *torch.Tensor, src int) (*call, error) {
	return g.newCall(name, native.Broadcast, []*torch.Tensor{x}, nil, func(c *call) (err error) {
		if err = checkUsable(c.op, "x", x); err != nil {
			return err
		}
		c.add("%s from rank %d", describe(x), src)
		c.Root, err = g.groupRank(c.op, "src", src)
		return err
	})
}

// AllReduce reduces x over all ranks in place, by default to the sum. Complex numbers are sent as
// pairs of real numbers, because Gloo does not support complex dtypes. Follows all_reduce.
func (g *ProcessGroup) AllReduce(ctx context.Context, x *torch.Tensor, opts ...ReduceOption) error {
	c, err := g.allReduce("AllReduce", native.AllReduce, []*torch.Tensor{x}, opts)
	return g.runCall(ctx, c, err)
}

// AllReduceAsync is [ProcessGroup.AllReduce] without waiting.
func (g *ProcessGroup) AllReduceAsync(ctx context.Context, x *torch.Tensor, opts ...ReduceOption) (*Work, error) {
	c, err := g.allReduce("AllReduceAsync", native.AllReduce, []*torch.Tensor{x}, opts)
	return g.startCall(ctx, c, err)
}

// AllReduceCoalesced is [ProcessGroup.AllReduce] for several tensors of one dtype at
// once. Follows all_reduce_coalesced.
func (g *ProcessGroup) AllReduceCoalesced(ctx context.Context, xs []*torch.Tensor, opts ...ReduceOption) error {
	c, err := g.allReduce("AllReduceCoalesced", native.AllReduceCoalesced, xs, opts)
	return g.runCall(ctx, c, err)
}

// AllReduceCoalescedAsync is [ProcessGroup.AllReduceCoalesced] without waiting.
func (g *ProcessGroup) AllReduceCoalescedAsync(ctx context.Context, xs []*torch.Tensor,
	opts ...ReduceOption,
) (*Work, error) {
	c, err := g.allReduce("AllReduceCoalescedAsync", native.AllReduceCoalesced, xs, opts)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) allReduce(name string, what native.Op, xs []*torch.Tensor, opts []ReduceOption) (*call, error) {
	return g.newCall(name, what, xs, nil, func(c *call) error {
		if len(xs) == 0 {
			return argumentError(c.op, torch.ErrValue, "xs", "is empty")
		}
		if err := checkUsable(c.op, "x", xs...); err != nil {
			return err
		}
		for i, x := range xs {
			if x.DType() != xs[0].DType() {
				return argumentError(c.op, torch.ErrDType, fmt.Sprintf("xs[%d]", i), "expected %v, got %v",
					xs[0].DType(), x.DType())
			}
		}
		r, err := reduceOp(c.op, opts)
		c.Reduce = int(r)
		c.add("%s, %v", describe(xs...), r)
		return firstError(err, checkReducible(c.op, r, xs[0]))
	})
}

// Reduce reduces x over all ranks and stores the result in x of rank dst. The default operation is
// the sum. On the other ranks x may contain partial results afterwards. Follows reduce.
func (g *ProcessGroup) Reduce(ctx context.Context, x *torch.Tensor, dst int, opts ...ReduceOption) error {
	c, err := g.reduce("Reduce", x, dst, opts)
	return g.runCall(ctx, c, err)
}

// ReduceAsync is [ProcessGroup.Reduce] without waiting.
func (g *ProcessGroup) ReduceAsync(ctx context.Context, x *torch.Tensor, dst int, opts ...ReduceOption) (*Work, error) {
	c, err := g.reduce("ReduceAsync", x, dst, opts)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) reduce(name string, x *torch.Tensor, dst int, opts []ReduceOption) (*call, error) {
	return g.newCall(name, native.Reduce, []*torch.Tensor{x}, nil, func(c *call) error {
		if err := checkUsable(c.op, "x", x); err != nil {
			return err
		}
		r, err := reduceOp(c.op, opts)
		c.Reduce = int(r)
		c.add("%s to rank %d, %v", describe(x), dst, r)
		root, bad := g.groupRank(c.op, "dst", dst)
		c.Root = root
		return firstError(err, bad, checkReducible(c.op, r, x))
	})
}

// AllGather copies x of each rank to outs on all ranks, in rank order. All tensors must
// have the same shape and dtype. Follows all_gather.
func (g *ProcessGroup) AllGather(ctx context.Context, outs []*torch.Tensor, x *torch.Tensor) error {
	c, err := g.allGather("AllGather", outs, x)
	return g.runCall(ctx, c, err)
}

// AllGatherAsync is [ProcessGroup.AllGather] without waiting.
func (g *ProcessGroup) AllGatherAsync(ctx context.Context, outs []*torch.Tensor, x *torch.Tensor) (*Work, error) {
	c, err := g.allGather("AllGatherAsync", outs, x)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) allGather(name string, outs []*torch.Tensor, x *torch.Tensor) (*call, error) {
	return g.newCall(name, native.AllGather, outs, []*torch.Tensor{x}, func(c *call) error {
		if err := firstError(checkUsable(c.op, "x", x), checkUsable(c.op, "outs", outs...)); err != nil {
			return err
		}
		c.add("%s", describe(x))
		return firstError(g.checkOnePerRank(c.op, "outs", len(outs)), checkAlike(c.op, "outs", x, outs))
	})
}

// AllGatherIntoTensor concatenates x of all ranks and stores the result in out on all ranks. out
// has shape (ranks, shape of x), or the shape of x with its first dimension multiplied by the
// number of ranks. Follows all_gather_into_tensor.
func (g *ProcessGroup) AllGatherIntoTensor(ctx context.Context, out, x *torch.Tensor) error {
	c, err := g.allGatherInto("AllGatherIntoTensor", out, x)
	return g.runCall(ctx, c, err)
}

// AllGatherIntoTensorAsync is [ProcessGroup.AllGatherIntoTensor] without waiting.
func (g *ProcessGroup) AllGatherIntoTensorAsync(ctx context.Context, out, x *torch.Tensor) (*Work, error) {
	c, err := g.allGatherInto("AllGatherIntoTensorAsync", out, x)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) allGatherInto(name string, out, x *torch.Tensor) (*call, error) {
	return g.newCall(name, native.AllGatherInto, []*torch.Tensor{out}, []*torch.Tensor{x}, func(c *call) error {
		if err := firstError(checkUsable(c.op, "x", x), checkUsable(c.op, "out", out)); err != nil {
			return err
		}
		c.add("%s", describe(x))
		return firstError(checkContiguous(c.op, "x", x), checkContiguous(c.op, "out", out),
			g.checkMultiple(c.op, "out", out, x))
	})
}

// Gather copies x of each rank to outs of rank dst, in rank order; outs must be
// nil on other ranks. Follows gather.
func (g *ProcessGroup) Gather(ctx context.Context, outs []*torch.Tensor, x *torch.Tensor, dst int) error {
	c, err := g.gather("Gather", outs, x, dst)
	return g.runCall(ctx, c, err)
}

// GatherAsync is [ProcessGroup.Gather] without waiting.
func (g *ProcessGroup) GatherAsync(ctx context.Context, outs []*torch.Tensor, x *torch.Tensor, dst int) (*Work, error) {
	c, err := g.gather("GatherAsync", outs, x, dst)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) gather(name string, outs []*torch.Tensor, x *torch.Tensor, dst int) (*call, error) {
	return g.newCall(name, native.Gather, outs, []*torch.Tensor{x}, func(c *call) error {
		if err := firstError(checkUsable(c.op, "x", x), checkUsable(c.op, "outs", outs...)); err != nil {
			return err
		}
		c.add("%s to rank %d", describe(x), dst)
		return firstError(g.setRoot(c, "dst", dst), g.checkListAtRoot(c, "outs", outs),
			checkAlike(c.op, "outs", x, outs))
	})
}

// Scatter copies ins[r] of rank src to x of each rank r; ins must be nil on other ranks.
// Follows scatter.
func (g *ProcessGroup) Scatter(ctx context.Context, x *torch.Tensor, ins []*torch.Tensor, src int) error {
	c, err := g.scatter("Scatter", x, ins, src)
	return g.runCall(ctx, c, err)
}

// ScatterAsync is [ProcessGroup.Scatter] without waiting.
func (g *ProcessGroup) ScatterAsync(ctx context.Context, x *torch.Tensor, ins []*torch.Tensor, src int) (*Work, error) {
	c, err := g.scatter("ScatterAsync", x, ins, src)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) scatter(name string, x *torch.Tensor, ins []*torch.Tensor, src int) (*call, error) {
	return g.newCall(name, native.Scatter, []*torch.Tensor{x}, ins, func(c *call) error {
		if err := firstError(checkUsable(c.op, "x", x), checkUsable(c.op, "ins", ins...)); err != nil {
			return err
		}
		c.add("%s from rank %d", describe(x), src)
		return firstError(g.setRoot(c, "src", src), g.checkListAtRoot(c, "ins", ins), checkAlike(c.op, "ins", x, ins))
	})
}

// ReduceScatter reduces ins[r] over all ranks and stores the result in out of rank r. The default
// operation is the sum. Follows reduce_scatter.
func (g *ProcessGroup) ReduceScatter(ctx context.Context, out *torch.Tensor, ins []*torch.Tensor,
	opts ...ReduceOption,
) error {
	c, err := g.reduceScatter("ReduceScatter", out, ins, opts)
	return g.runCall(ctx, c, err)
}

// ReduceScatterAsync is [ProcessGroup.ReduceScatter] without waiting.
func (g *ProcessGroup) ReduceScatterAsync(ctx context.Context, out *torch.Tensor, ins []*torch.Tensor,
	opts ...ReduceOption,
) (*Work, error) {
	c, err := g.reduceScatter("ReduceScatterAsync", out, ins, opts)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) reduceScatter(name string, out *torch.Tensor, ins []*torch.Tensor,
	opts []ReduceOption,
) (*call, error) {
	return g.newCall(name, native.ReduceScatter, []*torch.Tensor{out}, ins, func(c *call) error {
		if err := firstError(checkUsable(c.op, "out", out), checkUsable(c.op, "ins", ins...)); err != nil {
			return err
		}
		r, err := reduceOp(c.op, opts)
		c.Reduce = int(r)
		c.add("%s, %v", describe(out), r)
		return firstError(err, g.checkOnePerRank(c.op, "ins", len(ins)), checkAlike(c.op, "ins", out, ins),
			checkReducible(c.op, r, out))
	})
}

// ReduceScatterTensor is [ProcessGroup.ReduceScatter] for the parts of one tensor: x has as many
// elements as out of all ranks together. Follows reduce_scatter_tensor.
func (g *ProcessGroup) ReduceScatterTensor(ctx context.Context, out, x *torch.Tensor, opts ...ReduceOption) error {
	c, err := g.reduceScatterTensor("ReduceScatterTensor", out, x, opts)
	return g.runCall(ctx, c, err)
}

// ReduceScatterTensorAsync is [ProcessGroup.ReduceScatterTensor] without waiting.
func (g *ProcessGroup) ReduceScatterTensorAsync(ctx context.Context, out, x *torch.Tensor,
	opts ...ReduceOption,
) (*Work, error) {
	c, err := g.reduceScatterTensor("ReduceScatterTensorAsync", out, x, opts)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) reduceScatterTensor(name string, out, x *torch.Tensor, opts []ReduceOption) (*call, error) {
	return g.newCall(name, native.ReduceScatterTensor, []*torch.Tensor{out}, []*torch.Tensor{x}, func(c *call) error {
		if err := firstError(checkUsable(c.op, "out", out), checkUsable(c.op, "x", x)); err != nil {
			return err
		}
		r, err := reduceOp(c.op, opts)
		c.Reduce = int(r)
		c.add("%s, %v", describe(out), r)
		return firstError(err, checkContiguous(c.op, "x", x), checkContiguous(c.op, "out", out),
			g.checkMultiple(c.op, "x", x, out),
			checkReducible(c.op, r, out))
	})
}

// Barrier waits until all ranks have called it. Follows barrier.
func (g *ProcessGroup) Barrier(ctx context.Context) error {
	c, err := g.newCall("Barrier", native.Barrier, nil, nil, func(*call) error { return nil })
	return g.runCall(ctx, c, err)
}

// BarrierAsync is [ProcessGroup.Barrier] without waiting.
func (g *ProcessGroup) BarrierAsync(ctx context.Context) (*Work, error) {
	c, err := g.newCall("BarrierAsync", native.Barrier, nil, nil, func(*call) error { return nil })
	return g.startCall(ctx, c, err)
}

// setRoot reads the source or destination rank of a collective.
func (g *ProcessGroup) setRoot(c *call, arg string, rank int) (err error) {
	c.Root, err = g.groupRank(c.op, arg, rank)
	return err
}

// checkListAtRoot returns an error unless the list has one tensor for each rank on the root, and is
// empty on all other ranks.
func (g *ProcessGroup) checkListAtRoot(c *call, arg string, ts []*torch.Tensor) error {
	if c.Root == g.rank {
		return g.checkOnePerRank(c.op, arg, len(ts))
	}
	if len(ts) > 0 {
		return argumentError(c.op, torch.ErrValue, arg,
			"expected no tensors on rank %d, because only rank %d needs them, got %d", g.globalRank,
			g.ranks[c.Root], len(ts))
	}
	return nil
}

// checkMultiple returns an error unless the shape of the all argument is the shape of
// one, stacked or concatenated as many times as there are ranks.
func (g *ProcessGroup) checkMultiple(op, arg string, all, one *torch.Tensor) error {
	if all.DType() != one.DType() {
		return argumentError(op, torch.ErrDType, arg, "expected %v, got %v", one.DType(), all.DType())
	}
	n := int64(len(g.ranks))
	shape := one.Shape()
	stacked := append(torch.Shape{n}, shape...)
	joined := slices.Clone(shape)
	if len(joined) > 0 {
		joined[0] *= n
	} else {
		joined = torch.Shape{n}
	}
	if !slices.Equal(all.Shape(), stacked) && !slices.Equal(all.Shape(), joined) {
		return argumentError(op, torch.ErrShape, arg, "expected shape %v or %v, got %v", joined, stacked, all.Shape())
	}
	return nil
}
