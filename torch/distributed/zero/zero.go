// Package zero has an optimizer whose state is divided over the ranks of a group, as
// torch.distributed.optim.ZeroRedundancyOptimizer.
//
//	opt, err := zero.NewZeroRedundancyOptimizer(group, optim.NewAdamW(net.Parameters()))
//	...
//	loss.Backward() // the gradients are averaged: a parallel.DistributedDataParallel
//	opt.Step()      // each rank's own part; then all have all parameters
//
// An AdamW keeps two numbers for each parameter. On n ranks this one keeps two for each of
// its own, about an n-th.
package zero

import (
	"context"
	"errors"
	"fmt"
	"slices"

	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// ZeroRedundancyOptimizer is an optimizer of which each rank does a part: it steps its own
// parameters, has state for those alone, and sends them to the others. Parameters and results
// are those of the optimizer that it was made of, to the bit. It is an [optim.Optimizer], so
// schedulers and scalers take it. One goroutine at a time may use it. Follows
// torch.distributed.optim.ZeroRedundancyOptimizer.
type ZeroRedundancyOptimizer struct {
	optim.Optimizer // what it was made of, with all parameters
	group           *distributed.ProcessGroup
	whole           *optim.StateDict // of all ranks, on the one that has asked; or nil
	joined          *join.Context    // within join.Join
	closed          bool
}

// NewZeroRedundancyOptimizer divides the work of an optimizer that has not made a step. All
// ranks make theirs with the same parameters in the same order. Close of the result closes
// the optimizer, which may not be used apart from that.
//
// It returns a *torch.Error, of kind ErrNil for a nil group or optimizer, and ErrValue for a
// group that this process is no member of, for an optimizer that has state already, and for one
// that is none for single parameters: LBFGS and SparseAdam.
func NewZeroRedundancyOptimizer(g *distributed.ProcessGroup, opt optim.Optimizer) (*ZeroRedundancyOptimizer, error) {
	const op = "zero.NewZeroRedundancyOptimizer"
	if options.IsNil(opt) {
		return nil, torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer")
	}
	switch opt.(type) {
	case *optim.LBFGS, *optim.SparseAdam, *ZeroRedundancyOptimizer:
		return nil, torch.NewError(op, torch.ErrValue, "opt", fmt.Sprintf("%T cannot be divided by parameters", opt))
	}
	switch {
	case g == nil:
		return nil, torch.NewError(op, torch.ErrNil, "g", "a nil group")
	case g.Rank() < 0:
		return nil, torch.NewError(op, torch.ErrValue, "g", fmt.Sprintf("this process is no member of the group, which has the ranks %v", g.Ranks()))
	}
	for _, group := range opt.ParamGroups() {
		for _, p := range group.Params {
			if len(opt.State(p)) > 0 {
				return nil, torch.NewError(op, torch.ErrValue, "opt", "has made a step already; LoadStateDict of the result takes a state over")
			}
		}
	}
	return &ZeroRedundancyOptimizer{Optimizer: opt, group: g}, nil
}

// made refuses a nil optimizer, and one that no constructor made.
func (z *ZeroRedundancyOptimizer) made(op string) error {
	if z == nil || z.Optimizer == nil || z.group == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "a nil optimizer, or one that no constructor made")
	}
	return nil
}

// must refuses those, and an optimizer that was closed.
func (z *ZeroRedundancyOptimizer) must(op string) error {
	if err := z.made(op); err != nil {
		return err
	}
	if z.closed {
		return torch.NewError(op, torch.ErrClosed, "receiver", "used after Close")
	}
	return nil
}

// there panics where must refuses, and returns the optimizer that z was made of.
func (z *ZeroRedundancyOptimizer) there(op string) optim.Optimizer {
	if err := z.must(op); err != nil {
		panic(err)
	}
	return z.Optimizer
}

// ZeroGrad removes the gradients of all parameters, those of other ranks too. Follows zero_grad.
func (z *ZeroRedundancyOptimizer) ZeroGrad(opts ...optim.ZeroGradOption) {
	z.there("zero.ZeroRedundancyOptimizer.ZeroGrad").ZeroGrad(opts...)
}

// AddParamGroup adds parameters with settings of their own, the same on all ranks. Follows
// add_param_group.
func (z *ZeroRedundancyOptimizer) AddParamGroup(params []*torch.Tensor, opts ...optim.Option) {
	z.there("zero.ZeroRedundancyOptimizer.AddParamGroup").AddParamGroup(params, opts...)
}

// ParamGroups returns the groups, with the parameters of all ranks. What changes their settings
// does so on all ranks.
func (z *ZeroRedundancyOptimizer) ParamGroups() []*optim.ParamGroup {
	if err := z.made("zero.ZeroRedundancyOptimizer.ParamGroups"); err != nil {
		panic(err)
	}
	return z.Optimizer.ParamGroups()
}

// State returns what this rank keeps for a parameter: nothing for those of others.
func (z *ZeroRedundancyOptimizer) State(p *torch.Tensor) map[string]*torch.Tensor {
	return z.there("zero.ZeroRedundancyOptimizer.State").State(p)
}

// partition returns the parameters of each rank, for each group of parameters: the largest
// first, each to the rank that has least so far, as in Python.
func (z *ZeroRedundancyOptimizer) partition() [][][]*torch.Tensor {
	groups := z.ParamGroups()
	sizes := make([]int64, z.group.Size())
	parts := make([][][]*torch.Tensor, len(groups))
	for i, group := range groups {
		parts[i] = make([][]*torch.Tensor, len(sizes))
		if group == nil { // which the program put there; the step says so
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

// OwnParameters returns those that this rank steps and has state for.
func (z *ZeroRedundancyOptimizer) OwnParameters() []*torch.Tensor {
	if err := z.made("zero.ZeroRedundancyOptimizer.OwnParameters"); err != nil {
		panic(err)
	}
	return z.partOf(z.group.Rank())
}

// Step steps the parameters of this rank and takes those of the others. It waits for all
// ranks, and panics with a *torch.Error, in which errors.As finds the *distributed.Error
// where one is the cause. If one rank cannot step and the ranks compare what they call, the
// others get ErrMismatch and keep the parameters of others as they are. Follows step.
func (z *ZeroRedundancyOptimizer) Step() {
	const op = "zero.ZeroRedundancyOptimizer.Step"
	if err := z.step(context.Background(), op); err != nil {
		panic(torch.WrapError(op, err))
	}
}

// StepContext is Step with a context for the waiting, and with an error in place of a panic.
func (z *ZeroRedundancyOptimizer) StepContext(ctx context.Context) error {
	return z.step(ctx, "zero.ZeroRedundancyOptimizer.StepContext")
}

func (z *ZeroRedundancyOptimizer) step(ctx context.Context, op string) error {
	if err := z.must(op); err != nil {
		z.refuse(ctx)
		return err
	}
	if z.joined != nil {
		if _, err := z.joined.Notify(z); err != nil {
			return err
		}
		if err := z.lend(ctx, op, true); err != nil {
			return err
		}
	}
	return z.stepAll(ctx, op)
}

// refuse tells the others, who wait for this rank, that it does not step.
func (z *ZeroRedundancyOptimizer) refuse(ctx context.Context) {
	if z != nil && z.group != nil && z.group.Size() > 1 {
		_ = z.group.Broadcast(ctx, nil, z.group.GlobalRank(0))
	}
}

// stepAll steps this rank's part, and takes those of the others.
func (z *ZeroRedundancyOptimizer) stepAll(ctx context.Context, op string) error {
	var parts [][][]*torch.Tensor
	err := torch.Try(func() {
		parts = z.partition()
		z.stepOwn(parts)
	})
	if err != nil {
		z.refuse(ctx)
		return err
	}
	return named(op, z.exchange(ctx, parts))
}

// stepOwn steps while the groups have this rank's parameters alone.
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

// exchange sends each rank's parameters to the others, those of one dtype and device at once.
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

// named returns an error of a part as one of the whole.
func named(op string, err error) error {
	var e *distributed.Error
	if errors.As(err, &e) {
		e.Op = op
	}
	return err
}

// String prints the optimizer that it was made of.
func (z *ZeroRedundancyOptimizer) String() string {
	if z == nil || z.Optimizer == nil || z.group == nil {
		return "<nil>"
	}
	return fmt.Sprintf("ZeroRedundancyOptimizer(rank %d of %d, %v)", z.group.Rank(), z.group.Size(), z.Optimizer)
}

// Close frees the state of this rank and closes the optimizer that it was made of. It may be
// called twice, and on nil.
func (z *ZeroRedundancyOptimizer) Close() error {
	if z == nil || z.Optimizer == nil {
		return nil
	}
	z.closed = true
	return errors.Join(z.forget(), z.Optimizer.Close())
}

// forget frees a state that was gathered.
func (z *ZeroRedundancyOptimizer) forget() error {
	whole := z.whole
	z.whole = nil
	if whole == nil {
		return nil
	}
	return whole.Close()
}
