// Package zero shards the state of an optimizer over the ranks of a group, like
// torch.distributed.optim.ZeroRedundancyOptimizer.
//
//	opt, err := zero.NewZeroRedundancyOptimizer(group, optim.NewAdamW(net.Parameters()))
//	...
//	loss.Backward() // the gradients are averaged: a parallel.DistributedDataParallel
//	opt.Step()      // each rank's own part; then all have all parameters
//
// AdamW keeps two values for each element of a parameter. With n ranks, each rank keeps them only
// for its own parameters, about 1/n of the total.
package zero

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/embedded"
	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// ZeroRedundancyOptimizer is an optimizer that is sharded over ranks. Each rank steps its
// own part of the parameters, keeps state only for that part, and sends the new values to
// the other ranks. The parameters have the same bits as with an unsharded optimizer.
// ZeroRedundancyOptimizer is an [optim.Optimizer], so it works with schedulers and
// scalers. It must not be used by several goroutines at once. Follows
// torch.distributed.optim.ZeroRedundancyOptimizer.
type ZeroRedundancyOptimizer struct {
	optim.Optimizer // the wrapped optimizer, with all parameters
	group           *distributed.ProcessGroup
	gathered        *optim.StateDict // the state of all ranks, on the rank that gathered it; or nil
	joinContext     *join.Context    // set within join.Join
	closed          bool
}

// NewZeroRedundancyOptimizer shards an optimizer that has not taken a step. All ranks must have the
// same parameters in the same order. Use only the result, not the wrapped optimizer. Closing the
// result also closes the wrapped optimizer.
//
// It returns a *torch.Error, of kind ErrNil for a nil group or optimizer, and ErrValue
// for a group without this process, for an optimizer that already has state, and for
// optimizers that cannot be split by parameters: LBFGS, SparseAdam and types that embed
// one of them.
func NewZeroRedundancyOptimizer(g *distributed.ProcessGroup, opt optim.Optimizer) (*ZeroRedundancyOptimizer, error) {
	const op = "zero.NewZeroRedundancyOptimizer"
	if options.IsNil(opt) {
		return nil, torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer")
	}
	switch {
	case isOrEmbeds[*optim.LBFGS](opt), isOrEmbeds[*optim.SparseAdam](opt), isOrEmbeds[*ZeroRedundancyOptimizer](opt):
		return nil, torch.NewError(op, torch.ErrValue, "opt", fmt.Sprintf("%T cannot be split by parameters", opt))
	case g == nil:
		return nil, torch.NewError(op, torch.ErrNil, "g", "a nil group")
	case g.Rank() < 0:
		return nil, torch.NewError(op, torch.ErrValue, "g",
			fmt.Sprintf("this process is not a member of the group, which has the ranks %v", g.Ranks()))
	}
	for _, group := range opt.ParamGroups() {
		for _, p := range group.Params {
			if len(opt.State(p)) > 0 {
				return nil, torch.NewError(op, torch.ErrValue, "opt",
					"has already taken a step; use LoadStateDict of the result to load a state")
			}
		}
	}
	return &ZeroRedundancyOptimizer{Optimizer: opt, group: g}, nil
}

// isOrEmbeds reports whether an optimizer is a T or embeds one.
func isOrEmbeds[T optim.Optimizer](opt optim.Optimizer) bool {
	_, ok := embedded.Find[T](opt)
	return ok
}

// checkMade returns an error for a nil optimizer, and for one that NewZeroRedundancyOptimizer did
// not make.
func (z *ZeroRedundancyOptimizer) checkMade(op string) error {
	if z == nil || z.Optimizer == nil || z.group == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "is nil, or was not made by NewZeroRedundancyOptimizer")
	}
	return nil
}

// checkOpen returns an error for a nil, zero or closed optimizer.
func (z *ZeroRedundancyOptimizer) checkOpen(op string) error {
	if err := z.checkMade(op); err != nil {
		return err
	}
	if z.closed {
		return torch.NewError(op, torch.ErrClosed, "receiver", "used after Close")
	}
	return nil
}

// mustBeOpen returns the wrapped optimizer. It panics if checkOpen returns an error.
func (z *ZeroRedundancyOptimizer) mustBeOpen(op string) optim.Optimizer {
	if err := z.checkOpen(op); err != nil {
		panic(err)
	}
	return z.Optimizer
}

// ZeroGrad clears the gradients of all parameters, including the parameters of other
// ranks. Follows zero_grad.
func (z *ZeroRedundancyOptimizer) ZeroGrad(opts ...optim.ZeroGradOption) {
	z.mustBeOpen("zero.ZeroRedundancyOptimizer.ZeroGrad").ZeroGrad(opts...)
}

// AddParamGroup adds a parameter group with its own settings. All ranks must call it with
// equal arguments. Follows add_param_group.
func (z *ZeroRedundancyOptimizer) AddParamGroup(params []*torch.Tensor, opts ...optim.Option) {
	z.mustBeOpen("zero.ZeroRedundancyOptimizer.AddParamGroup").AddParamGroup(params, opts...)
}

// ParamGroups returns the groups, with the parameters of all ranks. Make the same changes to their
// settings on all ranks.
func (z *ZeroRedundancyOptimizer) ParamGroups() []*optim.ParamGroup {
	if err := z.checkMade("zero.ZeroRedundancyOptimizer.ParamGroups"); err != nil {
		panic(err)
	}
	return z.Optimizer.ParamGroups()
}

// State returns this rank's state for a parameter, which is empty for other ranks'
// parameters.
func (z *ZeroRedundancyOptimizer) State(p *torch.Tensor) map[string]*torch.Tensor {
	return z.mustBeOpen("zero.ZeroRedundancyOptimizer.State").State(p)
}

// partition returns the parameters of each rank for each group. As in Python, it assigns the
// largest parameters first, each to the rank with the fewest elements so far.
func (z *ZeroRedundancyOptimizer) partition() [][][]*torch.Tensor {
	groups := z.ParamGroups()
	sizes := make([]int64, z.group.Size())
	parts := make([][][]*torch.Tensor, len(groups))
	for i, group := range groups {
		parts[i] = make([][]*torch.Tensor, len(sizes))
		if group == nil { // the program has put a nil group in the list; Step reports it
			continue
		}
		params := slices.Clone(group.Params)
		slices.SortStableFunc(params, func(a, b *torch.Tensor) int { return int(b.Numel() - a.Numel()) })
		for _, p := range params {
			rank := 0
			for r, n := range sizes {
				if n < sizes[rank] {
					rank = r
				}
			}
			parts[i][rank] = append(parts[i][rank], p)
			sizes[rank] += p.Numel()
		}
	}
	return parts
}

// OwnParameters returns the parameters that this rank steps and has state for.
func (z *ZeroRedundancyOptimizer) OwnParameters() []*torch.Tensor {
	if err := z.checkMade("zero.ZeroRedundancyOptimizer.OwnParameters"); err != nil {
		panic(err)
	}
	return z.partOf(z.group.Rank())
}

// Step steps this rank's parameters and receives the other ranks' parameters. It waits for all
// ranks. It panics with a *torch.Error, which wraps the *distributed.Error if there is one. If one
// rank cannot step and the ranks compare their calls, the other ranks get ErrMismatch, and
// parameters that they do not own keep their old values. Follows step.
func (z *ZeroRedundancyOptimizer) Step() {
	const op = "zero.ZeroRedundancyOptimizer.Step"
	if err := z.step(context.Background(), op); err != nil {
		panic(torch.WrapError(op, err))
	}
}

// StepContext is Step with a context for its waits, and returns an error where Step panics.
func (z *ZeroRedundancyOptimizer) StepContext(ctx context.Context) error {
	return z.step(ctx, "zero.ZeroRedundancyOptimizer.StepContext")
}

func (z *ZeroRedundancyOptimizer) step(ctx context.Context, op string) error {
	if err := z.checkOpen(op); err != nil {
		z.sendRefusal(ctx)
		return err
	}
	if z.joinContext != nil {
		if _, err := z.joinContext.Notify(z); err != nil {
			return err
		}
		if err := z.lend(ctx, op, true); err != nil {
			return err
		}
	}
	return z.stepAll(ctx, op)
}

// sendRefusal tells the other ranks, which are waiting for this one, that it will not step.
func (z *ZeroRedundancyOptimizer) sendRefusal(ctx context.Context) {
	if z != nil && z.group != nil && z.group.Size() > 1 {
		_ = z.group.Broadcast(ctx, nil, z.group.GlobalRank(0))
	}
}

// stepAll steps this rank's part of the parameters, and receives the other parts.
func (z *ZeroRedundancyOptimizer) stepAll(ctx context.Context, op string) error {
	var parts [][][]*torch.Tensor
	err := torch.Try(func() {
		parts = z.partition()
		z.stepOwn(parts)
	})
	if err != nil {
		z.sendRefusal(ctx)
		return err
	}
	return withOp(op, z.exchange(ctx, parts))
}

// stepOwn takes a step while the groups contain only this rank's parameters.
func (z *ZeroRedundancyOptimizer) stepOwn(parts [][][]*torch.Tensor) {
	groups := z.ParamGroups()
	all := make([][]*torch.Tensor, len(groups))
	for i, group := range groups {
		if group != nil {
			all[i], group.Params = group.Params, parts[i][z.group.Rank()]
		}
	}
	defer func() {
		for i, group := range groups {
			if group != nil {
				group.Params = all[i]
			}
		}
	}()
	z.Optimizer.Step()
}

// exchange broadcasts each rank's parameters to the other ranks. All parameters with the same dtype
// and device are sent in one message.
func (z *ZeroRedundancyOptimizer) exchange(ctx context.Context, parts [][][]*torch.Tensor) error {
	if z.group.Size() == 1 {
		return nil
	}
	type kind struct {
		dtype  torch.DType
		device torch.Device
	}
	for rank := range z.group.Size() {
		byKind := map[kind][]*torch.Tensor{}
		var order []kind
		for _, part := range parts {
			for _, p := range part[rank] {
				k := kind{p.DType(), p.Device()}
				if byKind[k] == nil {
					order = append(order, k)
				}
				byKind[k] = append(byKind[k], p)
			}
		}
		for _, k := range order {
			if err := z.send(ctx, byKind[k], rank); err != nil {
				return err
			}
		}
	}
	return nil
}

func (z *ZeroRedundancyOptimizer) send(ctx context.Context, ps []*torch.Tensor, rank int) (err error) {
	panicked := torch.Try(func() {
		torch.NoGrad(func() {
			torch.Scope(func() {
				flat := make([]*torch.Tensor, len(ps))
				for i, p := range ps {
					flat[i] = p.Detach().Reshape(-1)
				}
				all := torch.Cat(flat)
				if err = z.group.Broadcast(ctx, all, z.group.GlobalRank(rank)); err != nil || rank == z.group.Rank() {
					return
				}
				at := int64(0)
				for _, p := range ps {
					p.Copy_(all.Narrow(0, at, p.Numel()).View(p.Shape()...))
					at += p.Numel()
				}
			})
		})
	})
	return errors.Join(err, panicked)
}

// withOp returns an error of a nested call as an error of op.
func withOp(op string, err error) error {
	var e *distributed.Error
	if errors.As(err, &e) {
		e.Op = op
	}
	return err
}

// String formats the wrapped optimizer.
func (z *ZeroRedundancyOptimizer) String() string {
	if z == nil || z.Optimizer == nil || z.group == nil {
		return "<nil>"
	}
	return fmt.Sprintf("ZeroRedundancyOptimizer(rank %d of %d, %v)", z.group.Rank(), z.group.Size(), z.Optimizer)
}

// Close frees the state of this rank and closes the wrapped optimizer. Closing twice, or
// closing nil, does nothing.
func (z *ZeroRedundancyOptimizer) Close() error {
	if z == nil || z.Optimizer == nil {
		return nil
	}
	z.closed = true
	return errors.Join(z.freeGathered(), z.Optimizer.Close())
}

// freeGathered frees the gathered state, if any.
func (z *ZeroRedundancyOptimizer) freeGathered() error {
	whole := z.gathered
	z.gathered = nil
	if whole == nil {
		return nil
	}
	return whole.Close()
}
