package zero

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// entry describes a state tensor of a parameter. Parameters are numbered consecutively
// across all groups.
type entry struct {
	Param int
	Name  string
	DType torch.DType
	Shape torch.Shape
}

// part is a rank's description of its state, which is sent before the state itself.
type part struct {
	To      int
	Failed  string // why it has no state to send, or ""
	Entries []entry
}

// ConsolidateStateDict gathers the current state of all ranks on one rank, whose global
// rank is to. StateDict on that rank then returns the state, on the CPU. All ranks call
// ConsolidateStateDict with the same argument, and it waits for them. The parts are sent
// only to the gathering rank, one tensor at a time; the other ranks need no memory for
// them. State gathered earlier is freed once all ranks agree.
//
// It returns a *torch.Error: of kind ErrValue for a rank that is not in the group and for
// sparse state, ErrClosed after Close, and ErrNil for a nil optimizer. If one rank has an
// error, or the ranks pass different arguments, the other ranks get a *distributed.Error
// of kind ErrMismatch, and the group stays usable. Follows consolidate_state_dict.
func (z *ZeroRedundancyOptimizer) ConsolidateStateDict(ctx context.Context, to int) error {
	const op = "zero.ZeroRedundancyOptimizer.ConsolidateStateDict"
	if err := z.checkOpen(op); err != nil {
		return err
	}
	var err error
	if panicked := torch.Try(func() { torch.Scope(func() { err = z.gather(ctx, op, to) }) }); panicked != nil {
		return panicked
	}
	return withOp(op, err)
}

func (z *ZeroRedundancyOptimizer) gather(ctx context.Context, op string, to int) error {
	mine := part{To: to}
	var own *optim.StateDict
	failed := torch.Try(func() { own = z.describe(op, &mine) })
	if failed != nil {
		mine.Failed = failed.Error()
	}
	if z.group.Size() == 1 {
		return failed // with one rank, StateDict returns the state of the wrapped optimizer
	}
	var parts []part
	err := z.group.AllGatherObject(ctx, mine, &parts)
	if err == nil {
		err = z.checkParts(op, parts)
	}
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	if err := z.freeGathered(); err != nil {
		return err
	}
	var whole *optim.StateDict
	if to == z.group.GlobalRank(z.group.Rank()) {
		whole, failed = z.collect(ctx, own, parts)
	} else {
		failed = z.sendState(ctx, own, mine)
	}
	mine = part{To: to}
	if failed != nil {
		mine.Failed = failed.Error()
	}
	err = z.group.AllGatherObject(ctx, mine, &parts)
	if err == nil {
		err = z.checkParts(op, parts)
	}
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return err
	case whole != nil:
		for _, state := range whole.State {
			for _, t := range state {
				torch.Disown(t)
			}
		}
		z.gathered = whole
	}
	return nil
}

// describe returns this rank's state, and adds its description to p. It panics if the state cannot
// be sent.
func (z *ZeroRedundancyOptimizer) describe(op string, p *part) *optim.StateDict {
	if z.group.GroupRank(p.To) < 0 {
		panic(torch.NewError(op, torch.ErrValue, "to",
			fmt.Sprintf("the group has no rank %d; its ranks are %v", p.To, z.group.Ranks())))
	}
	own := z.Optimizer.StateDict()
	for _, n := range slices.Sorted(maps.Keys(own.State)) {
		for _, name := range slices.Sorted(maps.Keys(own.State[n])) {
			t := own.State[n][name]
			if t.Layout() != torch.Strided {
				panic(torch.NewError(op, torch.ErrValue, "state",
					fmt.Sprintf("%s of parameter %d is %v; only dense state can be sent", name, n, t.Layout())))
			}
			p.Entries = append(p.Entries, entry{n, name, t.DType(), t.Shape()})
		}
	}
	return own
}

// checkParts returns an error if a rank has failed, or if the ranks name different ranks to gather
// on.
func (z *ZeroRedundancyOptimizer) checkParts(op string, parts []part) error {
	e := &distributed.Error{Op: op, Kind: distributed.ErrMismatch, Rank: z.group.Rank(), World: len(parts)}
	for r, p := range parts {
		global := z.group.GlobalRank(r)
		switch {
		case p.Failed != "":
			e.Detail += fmt.Sprintf("; rank %d: %s", global, plain.Message(p.Failed))
		case p.To != parts[0].To:
			e.Detail += fmt.Sprintf("; rank %d gathers on rank %d, but rank %d on rank %d", global, p.To,
				z.group.GlobalRank(0), parts[0].To)
		default:
			continue
		}
		e.Ranks = append(e.Ranks, global)
	}
	if e.Ranks == nil {
		return nil
	}
	e.Detail = e.Detail[2:]
	return e
}

// collect copies this rank's state, and receives the state of the other ranks, one rank after the
// other. It tells each rank when to send.
func (z *ZeroRedundancyOptimizer) collect(ctx context.Context, own *optim.StateDict,
	parts []part,
) (*optim.StateDict, error) {
	var whole *optim.StateDict
	failed := torch.Try(func() {
		whole = (&optim.StateDict{ParamGroups: own.ParamGroups, Values: own.Values}).Clone()
		for n, state := range own.State {
			whole.State[n] = map[string]*torch.Tensor{}
			for name, t := range state {
				whole.State[n][name] = t.To(torch.CPU, torch.Copy(true))
			}
		}
	})
	stopped := false
	for r, p := range parts {
		if r == z.group.Rank() {
			continue
		}
		from := z.group.GlobalRank(r)
		if failed == nil {
			failed = torch.Try(func() {
				for _, e := range p.Entries {
					if whole.State[e.Param] == nil {
						whole.State[e.Param] = map[string]*torch.Tensor{}
					}
					whole.State[e.Param][e.Name] = torch.Empty(e.Shape, e.DType, torch.CPU)
				}
			})
		}
		wanted := failed == nil && !stopped
		if err := z.sendGoOn(ctx, from, wanted); err != nil {
			return nil, err
		}
		if !wanted {
			continue
		}
		for _, e := range p.Entries {
			if e.Shape.Numel() == 0 {
				continue
			}
			there, err := z.recvGoOn(ctx, from)
			if err != nil {
				return nil, err
			}
			if !there { // the sender has failed, and reports its error at the end
				stopped = true
				break
			}
			torch.Scope(func() { _, err = z.group.Recv(ctx, bytesOf(whole.State[e.Param][e.Name]), from) })
			if err != nil {
				return nil, err
			}
		}
	}
	return whole, failed
}

// sendState sends this rank's state when rank mine.To asks for it.
func (z *ZeroRedundancyOptimizer) sendState(ctx context.Context, own *optim.StateDict, mine part) error {
	wanted, err := z.recvGoOn(ctx, mine.To)
	if err != nil || !wanted {
		return err
	}
	for _, e := range mine.Entries {
		if e.Shape.Numel() == 0 {
			continue
		}
		torch.Scope(func() {
			var x *torch.Tensor
			failed := torch.Try(func() {
				x = bytesOf(own.State[e.Param][e.Name].ResolveConj().ResolveNeg().To(torch.CPU).Contiguous())
			})
			if err = z.sendGoOn(ctx, mine.To, failed == nil); err == nil {
				err = failed
			}
			if err == nil {
				err = z.group.Send(ctx, x, mine.To)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bytesOf returns the bytes of a contiguous tensor.
func bytesOf(t *torch.Tensor) *torch.Tensor { return t.View(-1).ViewDType(torch.Uint8) }

// sendGoOn tells a rank whether to continue.
func (z *ZeroRedundancyOptimizer) sendGoOn(ctx context.Context, to int, goOn bool) (err error) {
	n := int64(0)
	if goOn {
		n = 1
	}
	torch.Scope(func() { err = z.group.Send(ctx, torch.FromSliceWith([]int64{n}, torch.Shape{1}, torch.CPU), to) })
	return err
}

// recvGoOn waits for a rank to say whether to continue.
func (z *ZeroRedundancyOptimizer) recvGoOn(ctx context.Context, from int) (goOn bool, err error) {
	torch.Scope(func() {
		n := torch.Zeros(torch.Shape{1}, torch.Int64, torch.CPU)
		if _, err = z.group.Recv(ctx, n, from); err == nil {
			goOn = n.Int64s()[0] == 1
		}
	})
	return goOn, err
}

// StateDict returns the state of all ranks in the layout of the wrapped optimizer. It can be loaded
// into a sharded or an unsharded optimizer, in a group of any size. It is the state of the last
// [ZeroRedundancyOptimizer.ConsolidateStateDict], which must have named this rank; otherwise
// StateDict panics with ErrValue. The optimizer owns the tensors, until the next
// ConsolidateStateDict. Follows state_dict.
func (z *ZeroRedundancyOptimizer) StateDict() *optim.StateDict {
	const op = "zero.ZeroRedundancyOptimizer.StateDict"
	z.mustBeOpen(op)
	if z.group.Size() == 1 {
		return z.Optimizer.StateDict()
	}
	if z.gathered == nil {
		e := torch.NewError(op, torch.ErrValue, "receiver", "the state has not been gathered on this rank")
		e.Remedy = "call ConsolidateStateDict(ctx, to) on all ranks first, and StateDict only on rank to"
		panic(e)
	}
	sd := *z.gathered
	sd.State = maps.Clone(z.gathered.State)
	return &sd
}

// LoadStateDict loads the state of all ranks, saved from a sharded or an unsharded optimizer, and
// keeps this rank's part. Follows load_state_dict.
func (z *ZeroRedundancyOptimizer) LoadStateDict(src optim.StateSource) error {
	const op = "zero.ZeroRedundancyOptimizer.LoadStateDict"
	if err := z.checkOpen(op); err != nil {
		return err
	}
	setter, ok := z.Optimizer.(interface {
		SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor
	})
	if !ok {
		return torch.NewError(op, torch.ErrValue, "opt", fmt.Sprintf("%T does not embed an optim.Base", z.Optimizer))
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
