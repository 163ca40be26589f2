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
// they are equal.
type OutputSplitSizes []int64

// InputSplitSizes are the numbers of rows of x that go to each rank. By default they are
// equal.
type InputSplitSizes []int64

// AllToAllSingle sends a part of x to each rank and receives their parts in out, in the
// order of ranks. The tensors are split along their first dimension, evenly by default.
// Follows all_to_all_single.
func (g *ProcessGroup) AllToAllSingle(ctx context.Context, out, x *torch.Tensor, opts ...SplitOption) error {
	c, err := g.allToAllSingle("AllToAllSingle", out, x, opts)
	return g.now(ctx, c, err)
}

// AllToAllSingleAsync is [ProcessGroup.AllToAllSingle] without waiting.
func (g *ProcessGroup) AllToAllSingleAsync(ctx context.Context, out, x *torch.Tensor,
	opts ...SplitOption,
) (*Work, error) {
	c, err := g.allToAllSingle("AllToAllSingleAsync", out, x, opts)
	return g.async(ctx, c, err)
}

func (g *ProcessGroup) allToAllSingle(name string, out, x *torch.Tensor, opts []SplitOption) (*call, error) {
	return g.newCall(name, native.AllToAllSingle, []*torch.Tensor{out}, []*torch.Tensor{x}, func(c *call) error {
		c.fits = g.splitsFit(c)
		if err := first(usable(c.op, "out", out), usable(c.op, "x", x)); err != nil {
			return err
		}
		if err := first(contiguous(c.op, "out", out), contiguous(c.op, "x", x)); err != nil {
			return err
		}
		switch {
		case out.DType() != x.DType():
			return wrong(c.op, torch.ErrDType, "out", "expected %v, got %v", x.DType(), out.DType())
		case x.Dim() == 0 || out.Dim() == 0 || !slices.Equal(out.Shape()[1:], x.Shape()[1:]):
			return wrong(c.op, torch.ErrShape, "out", "expected rows like those of x, %v, got %v", x.Shape(),
				out.Shape())
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
		if c.OutCounts, err = g.parts(c.op, "OutputSplitSizes", "out", c.OutCounts, out.Shape()[0]); err != nil {
			return err
		}
		c.InCounts, err = g.parts(c.op, "InputSplitSizes", "x", c.InCounts, x.Shape()[0])
		return err
	})
}

// parts returns the number of rows for each rank.
func (g *ProcessGroup) parts(op, option, arg string, sizes []int64, rows int64) ([]int64, error) {
	world := int64(len(g.ranks))
	if len(sizes) == 0 {
		if rows%world != 0 {
			return nil, wrong(op, torch.ErrShape, arg,
				"%d rows cannot be split evenly among %d ranks; set %s to split them unevenly", rows, world, option)
		}
		return slices.Repeat([]int64{rows / world}, len(g.ranks)), nil
	}
	if err := g.forEach(op, option, len(sizes)); err != nil {
		return nil, wrong(op, torch.ErrValue, option, "expected one number for each of %d ranks, got %d", world,
			len(sizes))
	}
	sum := int64(0)
	for _, n := range sizes {
		if n < 0 {
			return nil, wrong(op, torch.ErrValue, option, "expected no negative numbers, got %v", sizes)
		}
		if n > rows { // so that no sum overflows
			return nil, wrong(op, torch.ErrShape, option, "%v are more rows than %s has, %d", sizes, arg, rows)
		}
		sum += n
	}
	if sum != rows {
		return nil, wrong(op, torch.ErrShape, option, "%v adds up to %d rows, but %s has %d", sizes, sum, arg, rows)
	}
	return sizes, nil
}

// splitsFit compares what each rank sends to each other with what that rank expects.
func (g *ProcessGroup) splitsFit(c *call) func(ctx context.Context, refused error) error {
	return func(ctx context.Context, refused error) error {
		about := *c
		about.text = waited(shortOp(c.op)) + " splits"
		if err := g.agree(ctx, &about, nil); err != nil {
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
		row[0] = -1 // matches nothing; the rank that refuses reports the error later
	}
	var all []int64
	err := g.own(func() error {
		x := torch.FromSliceWith(row, torch.Shape{int64(len(row))}, torch.CPU)
		out := torch.Empty(torch.Shape{int64(world * len(row))}, torch.Int64, torch.CPU)
		if err := g.plain(ctx, c, native.Call{Op: native.AllGatherInto}, []*torch.Tensor{out},
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
// differ, but all must have one dtype. Python's Gloo backend does not support it; this
// sends them as one tensor. Follows all_to_all.
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
	var whole *torch.Tensor // what the others send, concatenated
	var parts []*torch.Tensor
	drop := func() {
		_ = whole.Close()
		for _, t := range parts {
			_ = t.Close()
		}
	}
	c, err := g.newCall(name, native.AllToAllSingle, nil, nil, func(c *call) error {
		c.fits = g.splitsFit(c)
		if err := first(usable(c.op, "outs", outs...), usable(c.op, "ins", ins...)); err != nil {
			return err
		}
		if err := first(g.forEach(c.op, "outs", len(outs)), g.forEach(c.op, "ins", len(ins))); err != nil {
			return err
		}
		c.add("%v", ins[0].DType())
		for i, t := range slices.Concat(ins, outs) {
			if t.DType() != ins[0].DType() {
				list := "ins"
				if i >= len(ins) {
					list = "outs"
				}
				return wrong(c.op, torch.ErrDType, fmt.Sprintf("%s[%d]", list, i%len(ins)), "expected %v, got %v",
					ins[0].DType(), t.DType())
			}
		}
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
		c.views = append(c.views, in) // closed when the call has begun
		rows := int64(0)
		for _, t := range outs {
			c.OutCounts = append(c.OutCounts, t.Numel())
			rows += t.Numel()
			parts = append(parts, kept(c.op, t))
		}
		whole = torch.Disown(torch.Empty(torch.Shape{rows}, in.DType(), in.Device()))
		c.outs, c.ins = []*torch.Tensor{whole}, []*torch.Tensor{in}
		return nil
	})
	b, err := g.background(ctx, c, err)
	if err != nil {
		drop()
		return nil, err
	}
	var once sync.Once
	var failed error
	end := func(ctx context.Context) error {
		once.Do(func() {
			defer drop()
			if failed = b.wait(ctx); failed == nil {
				failed = g.own(func() error {
					torch.NoGrad(func() {
						for i, part := range whole.SplitSizes(c.OutCounts) {
							parts[i].Copy_(part.View(parts[i].Shape()...))
						}
					})
					return nil
				})
			}
		})
		return failed
	}
	return newWork(end, func() bool {
		done := b.isDone()
		if done {
			_ = end(context.Background()) // takes no time; Wait returns the error
		}
		return done
	}), nil
}
