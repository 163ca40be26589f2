package zero

import (
	"context"
	"encoding/gob"
	"fmt"
	"maps"
	"reflect"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// joinHook is the join.Hook of an optimizer.
type joinHook struct{ z *ZeroRedundancyOptimizer }

// JoinGroup returns the optimizer's group, for join.Join. It returns nil for a nil optimizer.
func (z *ZeroRedundancyOptimizer) JoinGroup() *distributed.ProcessGroup {
	if z == nil {
		return nil // which Join rejects
	}
	return z.group
}

// BeginJoin prepares the optimizer for ranks with different numbers of inputs. join.Join
// calls it:
//
//	err := join.Join(ctx, []join.Joinable{net, opt}, func() error { ... })
//
// A rank without inputs takes part in each iteration of the other ranks, and steps its
// part of the parameters too. For that it gets the settings and gradients of a rank with
// inputs, as they are when that rank steps: clipped, unscaled, with the scheduled
// learning rate. In Python, the rank uses its own settings and gradients, from its last
// iteration. The module must precede the optimizer in the list, and each iteration must
// take one step. Gradients must be dense.
func (z *ZeroRedundancyOptimizer) BeginJoin(c *join.Context) (join.Hook, error) {
	const op = "zero.ZeroRedundancyOptimizer.BeginJoin"
	if err := z.checkOpen(op); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, torch.NewError(op, torch.ErrNil, "c", "is nil")
	}
	if z.joinContext != nil {
		return nil, torch.NewError(op, torch.ErrValue, "receiver", "is already in a Join")
	}
	z.joinContext = c
	return joinHook{z}, nil
}

// EndJoin ends the Join that BeginJoin began. It does nothing if there is none.
func (z *ZeroRedundancyOptimizer) EndJoin() {
	if err := z.checkMade("zero.ZeroRedundancyOptimizer.EndJoin"); err != nil {
		panic(err)
	}
	z.joinContext = nil
}

// Main takes part in one step of the ranks that still have inputs.
func (j joinHook) Main(ctx context.Context) error {
	const op = "zero.ZeroRedundancyOptimizer.Step"
	if err := j.z.checkOpen(op); err != nil {
		j.z.sendRefusal(ctx)
		return err
	}
	if err := j.z.lend(ctx, op, false); err != nil {
		return err
	}
	return j.z.stepAll(ctx, op)
}

// Post does nothing, because all ranks already have the parameters of the last step.
func (j joinHook) Post(context.Context, bool) error { return nil }

// loan holds the settings that a rank without inputs needs for a step. The gradients are
// sent after the loan.
type loan struct {
	Settings []map[string]any // the settings of each group of parameters
	Defined  []bool           // whether each parameter of the receiver has a gradient
	Failed   string           // why there is no loan, or ""
}

func init() {
	for _, v := range []any{[2]float64{}, [3]float64{}, []float64{}, [2]any{}} {
		gob.Register(v)
	}
}

// lend finds the highest rank with inputs, which sends its settings and gradients to the ranks
// without inputs. active is true on ranks with inputs.
func (z *ZeroRedundancyOptimizer) lend(ctx context.Context, op string, active bool) error {
	var with []int64
	var err error
	failed := torch.Try(func() {
		torch.Scope(func() {
			own := make([]int64, z.group.Size())
			if active {
				own[z.group.Rank()] = 1
			}
			all := torch.FromSliceWith(own, torch.Shape{int64(len(own))}, torch.CPU)
			if err = z.group.AllReduce(ctx, all); err == nil {
				with = all.Int64s()
			}
		})
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return withOp(op, err)
	}
	from := len(with) - 1
	for from >= 0 && with[from] == 0 {
		from--
	}
	if from < 0 {
		return torch.NewError(op, torch.ErrValue, "receiver", "steps only on ranks that have no inputs")
	}
	if !active {
		return withOp(op, z.borrow(ctx, z.group.GlobalRank(from)))
	}
	for r := 0; r < len(with) && from == z.group.Rank(); r++ {
		if with[r] == 0 {
			if err := z.lendTo(ctx, r); err != nil {
				return withOp(op, err)
			}
		}
	}
	return nil
}

// lendTo sends the settings, and the gradients of a rank's parameters, to that rank.
func (z *ZeroRedundancyOptimizer) lendTo(ctx context.Context, rank int) error {
	var what loan
	var grads []*torch.Tensor
	to := z.group.GlobalRank(rank)
	var err error
	torch.Scope(func() {
		failed := torch.Try(func() {
			for _, g := range z.ParamGroups() {
				what.Settings = append(what.Settings, withoutNone(g.Settings()))
			}
			for _, p := range z.partOf(rank) {
				grad := p.Grad()
				if what.Defined = append(what.Defined, grad != nil); grad != nil {
					grads = append(grads, bytesOf(grad.Detach().ToDense().ResolveConj().ResolveNeg().Contiguous()))
				}
			}
		})
		if failed != nil {
			what = loan{Failed: failed.Error()}
		}
		if err = z.group.SendObject(ctx, what, to); err == nil {
			err = failed
		}
		for _, g := range grads {
			if err == nil && g.Numel() > 0 {
				err = z.group.Send(ctx, g, to)
			}
		}
	})
	return err
}

// withoutNone removes settings with the value None, which gob cannot encode, and returns settings.
func withoutNone(settings map[string]any) map[string]any {
	maps.DeleteFunc(settings, func(_ string, v any) bool { return v == nil })
	return settings
}

// borrow receives, from another rank, the settings and gradients for this rank's step.
func (z *ZeroRedundancyOptimizer) borrow(ctx context.Context, from int) error {
	var what loan
	if _, err := z.group.RecvObject(ctx, &what, from); err != nil {
		return err
	}
	if what.Failed != "" {
		return &distributed.Error{
			Kind: distributed.ErrMismatch, Rank: z.group.Rank(), World: z.group.Size(),
			Ranks: []int{from}, Detail: fmt.Sprintf("rank %d: %s", from, plain.Message(what.Failed)),
		}
	}
	var err error
	failed := torch.Try(func() {
		groups, part := z.ParamGroups(), z.partOf(z.group.Rank())
		if len(what.Settings) != len(groups) || len(what.Defined) != len(part) {
			err = &distributed.Error{
				Kind: distributed.ErrMismatch, Rank: z.group.Rank(), World: z.group.Size(), Ranks: []int{from},
				Detail: fmt.Sprintf("rank %d sends the settings of %d groups and the gradients of %d parameters, "+
					"expected %d and %d", from, len(what.Settings), len(what.Defined), len(groups), len(part)),
			}
			return
		}
		for i, g := range groups {
			for name, value := range what.Settings[i] {
				if own, _ := g.Get(name); !reflect.DeepEqual(own, value) {
					g.Define(setting{name, value})
				}
			}
		}
		for i, p := range part {
			if err != nil {
				return
			}
			if !what.Defined[i] {
				p.SetGrad(nil)
				continue
			}
			torch.Scope(func() {
				grad := torch.Empty(p.Shape(), p.DType(), torch.CPU)
				if p.Numel() > 0 {
					_, err = z.group.Recv(ctx, bytesOf(grad), from)
				}
				if err == nil {
					p.SetGrad(grad.To(p.Device()))
				}
			})
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// setting is a setting received from another rank.
type setting struct {
	name  string
	value any
}

func (s setting) Setting() (name string, value any) { return s.name, s.value }

// partOf returns the parameters of a rank in all groups.
func (z *ZeroRedundancyOptimizer) partOf(rank int) []*torch.Tensor {
	var part []*torch.Tensor
	for _, parts := range z.partition() {
		part = append(part, parts[rank]...)
	}
	return part
}
