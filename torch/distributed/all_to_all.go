package distributed

import (
	"context"
	"fmt"
	"slices"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// A SplitOption configures how [ProcessGroup.AllToAllSingle] splits its tensors:
// [OutputSplitSizes] or [InputSplitSizes].
//
//gotorch:options OutputSplitSizes InputSplitSizes
type SplitOption interface{ splitOption() }

// OutputSplitSizes are the numbers of rows of out that come from each rank. By default
// every rank sends the same number.
type OutputSplitSizes []int64

// InputSplitSizes are the numbers of rows of x that go to each rank. By default, every rank gets
// the same number.
type InputSplitSizes []int64

// AllToAllSingle splits x along its first dimension, sends one part to each rank, and receives one
// part from each rank in out, in rank order. By default, the parts have equal sizes.
// Follows all_to_all_single.
func (g *ProcessGroup) AllToAllSingle(ctx context.Context, out, x *torch.Tensor, opts ...SplitOption) error {
	c, err := g.allToAllSingle("AllToAllSingle", out, x, opts)
	return g.runCall(ctx, c, err)
}

// AllToAllSingleAsync is [ProcessGroup.AllToAllSingle] without waiting.
func (g *ProcessGroup) AllToAllSingleAsync(ctx context.Context, out, x *torch.Tensor,
	opts ...SplitOption,
) (*Work, error) {
	c, err := g.allToAllSingle("AllToAllSingleAsync", out, x, opts)
	return g.startCall(ctx, c, err)
}

func (g *ProcessGroup) allToAllSingle(name string, out, x *torch.Tensor, opts []SplitOption) (*call, error) {
	return g.newCall(name, native.AllToAllSingle, []*torch.Tensor{out}, []*torch.Tensor{x}, func(c *call) error {
		c.compareMore = g.splitsCheck(c)
		if err := firstError(checkUsable(c.op, "out", out), checkUsable(c.op, "x", x)); err != nil {
			return err
		}
		if err := firstError(checkContiguous(c.op, "out", out), checkContiguous(c.op, "x", x)); err != nil {
			return err
		}
		switch {
		case out.DType() != x.DType():
			return argumentError(c.op, torch.ErrDType, "out", "expected %v, got %v", x.DType(), out.DType())
		case x.Dim() == 0 || out.Dim() == 0 || !slices.Equal(out.Shape()[1:], x.Shape()[1:]):
			return argumentError(c.op, torch.ErrShape, "out", "expected rows of the same shape as in x, %v, got %v",
				x.Shape(), out.Shape())
		}
		for _, o := range opts {
			switch o := o.(type) {
			case OutputSplitSizes:
				c.OutCounts = slices.Clone(o)
			case InputSplitSizes:
				c.InCounts = slices.Clone(o)
			default:
				return torch.BadOption(c.op, o)
			}
		}
		c.add("rows of %v %v", x.DType(), x.Shape()[1:])
		var err error
		if c.OutCounts, err = g.rowsPerRank(c.op, "OutputSplitSizes", "out", c.OutCounts, out.Shape()[0]); err != nil {
			return err
		}
		c.InCounts, err = g.rowsPerRank(c.op, "InputSplitSizes", "x", c.InCounts, x.Shape()[0])
		return err
	})
}

// rowsPerRank returns the number of rows to send to, or receive from, each rank.
func (g *ProcessGroup) rowsPerRank(op, option, arg string, sizes []int64, rows int64) ([]int64, error) {
	world := int64(len(g.ranks))
	if len(sizes) == 0 {
		if rows%world != 0 {
			return nil, argumentError(op, torch.ErrShape, arg,
				"%d rows cannot be split evenly among %d ranks; set %s to split them unevenly", rows, world, option)
		}
		return slices.Repeat([]int64{rows / world}, len(g.ranks)), nil
	}
	if err := g.checkOnePerRank(op, option, len(sizes)); err != nil {
		return nil, argumentError(op, torch.ErrValue, option, "expected one number for each of %d ranks, got %d", world,
			len(sizes))
	}
	sum := int64(0)
	for _, n := range sizes {
		if n < 0 {
			return nil, argumentError(op, torch.ErrValue, option, "expected no negative numbers, got %v", sizes)
		}
		if n > rows { // return early, so that sum cannot overflow
			return nil, argumentError(op, torch.ErrShape, option, "%v has more rows than %s, which has %d", sizes, arg,
				rows)
		}
		sum += n
	}
	if sum != rows {
		return nil, argumentError(op, torch.ErrShape, option, "%v adds up to %d rows, but %s has %d", sizes, sum, arg,
			rows)
	}
	return sizes, nil
}

// splitsCheck returns a function that compares the number of rows that each rank sends with the
// number that the receiver expects.
func (g *ProcessGroup) splitsCheck(c *call) func(ctx context.Context, refused error) error {
	return func(ctx context.Context, refused error) error {
		about := *c
		about.text = syncName(shortOp(c.op)) + " splits"
		if err := g.checkAgreement(ctx, &about, nil); err != nil {
			return err
		}
		return g.compareSplits(ctx, c, refused)
	}
}

func (g *ProcessGroup) compareSplits(ctx context.Context, c *call, refused error) error {
	world := len(g.ranks)
	row := make([]int64, 2*world)
	if refused == nil {
		copy(row, c.InCounts)
		copy(row[world:], c.OutCounts)
	} else {
		row[0] = -1 // matches no number of rows; the rank reports its error later
	}
	var all []int64
	err := g.tryScoped(func() error {
		x := torch.FromSliceWith(row, torch.Shape{int64(len(row))}, torch.CPU)
		out := torch.Empty(torch.Shape{int64(world * len(row))}, torch.Int64, torch.CPU)
		if err := g.runUncompared(ctx, c, native.Call{Op: native.AllGatherInto}, []*torch.Tensor{out},
			[]*torch.Tensor{x}); err != nil {
			return err
		}
		all = out.Int64s()
		return nil
	})
	if err != nil {
		return err
	}
	at := func(rank, i int) int64 { return all[rank*2*world+i] }
	for from := range world {
		for to := range world {
			sent, expected := at(from, to), at(to, world+from)
			if at(from, 0) < 0 || at(to, 0) < 0 || sent == expected {
				continue
			}
			return &Error{
				Op: c.op, Kind: ErrMismatch, Rank: g.rank, World: world, Call: c.text,
				Ranks: []int{g.ranks[from], g.ranks[to]},
				Detail: fmt.Sprintf("rank %d sends %d rows to rank %d, which expects %d", g.ranks[from], sent,
					g.ranks[to], expected),
			}
		}
	}
	return nil
}

// AllToAll sends ins[r] to each rank r and receives r's tensor in outs[r]. Shapes may
// differ, but all tensors must have the same dtype. AllToAll also works with Gloo, where
// Python does not support it. Follows all_to_all.
func (g *ProcessGroup) AllToAll(ctx context.Context, outs, ins []*torch.Tensor) error {
	w, err := g.allToAll(ctx, "AllToAll", outs, ins)
	if err != nil {
		return err
	}
	return w.Wait(ctx)
}

// AllToAllAsync is [ProcessGroup.AllToAll] without waiting.
func (g *ProcessGroup) AllToAllAsync(ctx context.Context, outs, ins []*torch.Tensor) (*Work, error) {
	return g.allToAll(ctx, "AllToAllAsync", outs, ins)
}

func (g *ProcessGroup) allToAll(ctx context.Context, name string, outs, ins []*torch.Tensor) (*Work, error) {
	var x exchange
	c, err := g.newCall(name, native.AllToAllSingle, nil, nil, func(c *call) error {
		c.compareMore = g.splitsCheck(c)
		if err := g.checkAllToAll(c, outs, ins); err != nil {
			return err
		}
		x.prepare(c, outs, ins)
		return nil
	})
	b, err := g.newBackgroundCall(ctx, c, err)
	if err != nil {
		x.free()
		return nil, err
	}
	var once sync.Once
	var failed error
	end := func(ctx context.Context) error {
		once.Do(func() {
			defer x.free()
			if failed = b.wait(ctx); failed == nil {
				failed = g.tryScoped(func() error {
					x.copyOut(c.OutCounts)
					return nil
				})
			}
		})
		return failed
	}
	return newWork(end, func() bool {
		done := b.isDone()
		if done {
			_ = end(context.Background()) // does not block, because the work is done; Wait returns the error
		}
		return done
	}), nil
}

// checkAllToAll checks this rank's tensors and adds their dtype to the text that is compared
// between ranks.
func (g *ProcessGroup) checkAllToAll(c *call, outs, ins []*torch.Tensor) error {
	err := firstError(checkUsable(c.op, "outs", outs...), checkUsable(c.op, "ins", ins...))
	err = firstError(err, g.checkOnePerRank(c.op, "outs", len(outs)), g.checkOnePerRank(c.op, "ins", len(ins)))
	if err != nil {
		return err
	}
	c.add("%v", ins[0].DType())
	for i, t := range slices.Concat(ins, outs) {
		if t.DType() != ins[0].DType() {
			list := "ins"
			if i >= len(ins) {
				list = "outs"
			}
			return argumentError(c.op, torch.ErrDType, fmt.Sprintf("%s[%d]", list, i%len(ins)), "expected %v, got %v",
				ins[0].DType(), t.DType())
		}
	}
	return nil
}

// exchange holds the tensors of an AllToAll, which sends all parts as one tensor and receives them
// as one tensor.
type exchange struct {
	received *torch.Tensor   // the concatenated parts from all ranks
	outs     []*torch.Tensor // the caller's tensors, to which copyOut copies the parts
}

// prepare concatenates ins for the call, and allocates the tensor that receives the parts.
func (x *exchange) prepare(c *call, outs, ins []*torch.Tensor) {
	var in *torch.Tensor
	torch.Scope(func() {
		torch.NoGrad(func() {
			flat := make([]*torch.Tensor, len(ins))
			for i, t := range ins {
				flat[i] = t.Reshape(-1)
				c.InCounts = append(c.InCounts, t.Numel())
			}
			in = torch.Disown(torch.Cat(flat))
		})
	})
	c.views = append(c.views, in) // c.free closes in and the other views once the call has begun
	rows := int64(0)
	for _, t := range outs {
		c.OutCounts = append(c.OutCounts, t.Numel())
		rows += t.Numel()
		x.outs = append(x.outs, ownedHandle(c.op, t))
	}
	x.received = torch.Disown(torch.Empty(torch.Shape{rows}, in.DType(), in.Device()))
	c.outs, c.ins = []*torch.Tensor{x.received}, []*torch.Tensor{in}
}

// copyOut copies the received parts to the caller's tensors.
func (x *exchange) copyOut(counts []int64) {
	torch.NoGrad(func() {
		for i, part := range x.received.SplitSizes(counts) {
			x.outs[i].Copy_(part.View(x.outs[i].Shape()...))
		}
	})
}

func (x *exchange) free() {
	_ = x.received.Close()
	for _, t := range x.outs {
		_ = t.Close()
	}
}
