package zero

import (
	"context"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// joining is an optimizer within join.Join.
type joining struct{ z *ZeroRedundancyOptimizer }

// JoinGroup returns the group, for join.Join; nil of a nil optimizer.
func (z *ZeroRedundancyOptimizer) JoinGroup() *distributed.ProcessGroup {
	if z == nil {
		return nil // which Join refuses
	}
	return z.group
}

// BeginJoin prepares for ranks with different numbers of inputs; join.Join calls it:
//
//	err := join.Join(ctx, []join.Joinable{net, opt}, func() error { ... })
//
// In each iteration of the others a rank that has no more inputs steps its part of the
// parameters too, with the gradients that it has: a parallel.DistributedDataParallel before it in
// the list has set them to the averages. (Python's has not, and steps with those of the last
// iteration of its own.) The ranks step once in each iteration.
func (z *ZeroRedundancyOptimizer) BeginJoin(c *join.Context) (join.Hook, error) {
	const op = "zero.ZeroRedundancyOptimizer.BeginJoin"
	if err := z.must(op); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, torch.NewError(op, torch.ErrNil, "c", "is nil")
	}
	if z.joined != nil {
		return nil, torch.NewError(op, torch.ErrValue, "receiver", "is in a Join already")
	}
	z.joined = c
	return joining{z}, nil
}

// EndJoin ends what BeginJoin began, and does nothing if it did not.
func (z *ZeroRedundancyOptimizer) EndJoin() {
	if err := z.made("zero.ZeroRedundancyOptimizer.EndJoin"); err != nil {
		panic(err)
	}
	z.joined = nil
}

// Main makes the step of an iteration of the others.
func (j joining) Main(ctx context.Context) error {
	const op = "zero.ZeroRedundancyOptimizer.Join"
	if err := j.z.must(op); err != nil {
		return err
	}
	return j.z.stepAll(ctx, op)
}

// Post does nothing: all ranks have the parameters of the last step.
func (j joining) Post(context.Context, bool) error { return nil }
