package zero

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// states are those of parameters, by their numbers through all groups.
type states map[int]map[string]*torch.Tensor

// ConsolidateStateDict gathers the state of all ranks on one, where StateDict has it then, as
// it is now. All ranks call it, and it waits for them; it sends copies, by way of the CPU.
// Follows consolidate_state_dict.
func (z *ZeroRedundancyOptimizer) ConsolidateStateDict(ctx context.Context, to int) error {
	if z.closed {
		return torch.NewError(op, torch.ErrClosed, "receiver", "used after Close")
	}
	if z.group.GroupRank(to) < 0 {
		return torch.NewError(op+".ConsolidateStateDict", torch.ErrValue, "to", fmt.Sprintf("the group has no rank %d", to))
	}
	if err := z.forget(); err != nil {
		return err
	}
	var err error
	panicked := torch.Try(func() {
		torch.Scope(func() { err = z.gather(ctx, to) })
	})
	return errors.Join(err, panicked)
}

func (z *ZeroRedundancyOptimizer) gather(ctx context.Context, to int) error {
	own := z.Optimizer.StateDict()
	if z.group.GlobalRank(z.group.Rank()) != to {
		return z.group.GatherObject(ctx, states(own.State), nil, to)
	}
	var parts []states
	if err := z.group.GatherObject(ctx, states{}, &parts, to); err != nil {
		return err
	}
	whole := own.Clone()
	for _, part := range parts {
		for i, state := range part {
			for _, t := range state {
				torch.Disown(t)
			}
			whole.State[i] = state
		}
	}
	for _, state := range whole.State {
		for _, t := range state {
			torch.Disown(t)
		}
	}
	z.whole = whole
	return nil
}

// StateDict returns the state of all ranks, laid out as that of the optimizer that this one
// was made of, so that it loads into either, in a group of any size. It is the one of the
// last [ZeroRedundancyOptimizer.ConsolidateStateDict], which has to have named this rank:
// without that it panics with ErrValue. The tensors are the optimizer's, until the next
// ConsolidateStateDict. Follows state_dict.
func (z *ZeroRedundancyOptimizer) StateDict() *optim.StateDict {
	if z.group.Size() == 1 {
		return z.Optimizer.StateDict()
	}
	if z.whole == nil {
		panic(torch.NewError(op+".StateDict", torch.ErrValue, "receiver", "ConsolidateStateDict has not gathered the state on this rank"))
	}
	sd := *z.whole
	sd.State = maps.Clone(z.whole.State)
	return &sd
}

// LoadStateDict loads the state of all ranks, of this optimizer or of one that is not divided,
// and keeps this rank's part. Follows load_state_dict.
func (z *ZeroRedundancyOptimizer) LoadStateDict(src optim.StateSource) error {
	setter, ok := z.Optimizer.(interface {
		SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor
	})
	if !ok {
		return torch.NewError(op+".LoadStateDict", torch.ErrValue, "opt", fmt.Sprintf("%T does not embed an optim.Base", z.Optimizer))
	}
	if err := z.Optimizer.LoadStateDict(src); err != nil {
		return err
	}
	return torch.Try(func() {
		for _, parts := range z.partition() {
			for rank, ps := range parts {
				if rank == z.group.Rank() {
					continue
				}
				for _, p := range ps {
					for name := range z.State(p) {
						setter.SetState(p, name, nil)
					}
				}
			}
		}
	})
}
