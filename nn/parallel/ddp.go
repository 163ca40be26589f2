package parallel

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

const opDDP = "parallel.DistributedDataParallel"

// DistributedDataParallel wraps a module. Each rank of a group has a copy of the module.
// The backward pass averages the gradients over the ranks. The wrapped module is a child
// named "module", so the names in the wrapper's state dict begin with "module.", as in
// Python. Only one goroutine at a time may use the wrapper. Follows
// torch.nn.parallel.DistributedDataParallel.
//
// All ranks must call Forward and Backward the same number of times. If all ranks are Go
// processes, a difference is detected: the calls fail with distributed.ErrMismatch
// instead of waiting forever. The check includes ranks within
// [DistributedDataParallel.Join], even ranks without inputs. The option
// distributed.Check(false) turns it off.
type DistributedDataParallel struct {
	nn.Base
	Module nn.Module // the wrapped module

	group    *distributed.ProcessGroup
	reducer  *distributed.Reducer // nil if the group has a single rank and no hook is registered
	params   []*torch.Tensor      // the parameters whose gradients are averaged
	states   []parameterState     // the states of all parameters of the module
	settings settings
	// A description of this module, which is part of the description of each call. The
	// ranks compare these descriptions.
	passName        string
	inNoSync        bool // NoSync is running
	copiesBuffers   bool // the next Forward copies buffers, because the last pass averaged gradients
	hasCommHook     bool // a communication hook is registered
	sawBackward     bool // a static graph has seen its first backward pass
	missedFirstPass bool // other ranks ran a static graph's first pass within a Join, without this rank
	join            *joinState
	ctx             context.Context // of SetContext, for a reducer that is made later
}

// NewDistributedDataParallel wraps a module. It copies the parameters and buffers of rank
// 0 to all ranks, including parameters that require no gradients, and waits for all
// ranks. The context applies only to this wait; see
// [DistributedDataParallel.SetContext]. Move the module to its device before the call,
// and make the optimizer, which gets the same parameters, after it.
//
// It returns a *torch.Error for a module without parameters that require gradients, or
// with parameters on several device types. It returns a *distributed.Error with
// ErrMismatch on all ranks if their modules or options differ. Closing the result also
// closes the wrapped module.
func NewDistributedDataParallel(ctx context.Context, module nn.Module, g *distributed.ProcessGroup,
	opts ...Option,
) (*DistributedDataParallel, error) {
	set, wrong := readOptions(opDDP, opts)
	if g == nil {
		return nil, torch.NewError(opDDP, torch.ErrNil, "g", "a nil group")
	}
	if g.Rank() < 0 {
		return nil, notMemberError(opDDP)
	}
	d := &DistributedDataParallel{Module: module, group: g, settings: set, copiesBuffers: true}
	if err := torch.Try(func() {
		d.Init(d, nn.TypeName("DistributedDataParallel"))
		d.Register("module", module)
		d.settings.Refused = d.collectParameters()
	}); err != nil {
		d.settings.Refused = err
	}
	if wrong != nil {
		// NewReducer also reports the error to the other ranks, which wait for this one.
		d.settings.Refused = wrong
	}
	d.passName = fmt.Sprintf("with %d parameters", len(d.params))
	if g.Size() == 1 && d.settings.Refused == nil {
		return d, nil // with one rank, the average is its own gradient, so no buckets are needed
	}
	var err error
	if d.reducer, err = distributed.NewReducer(ctx, g, d.params, d.settings.ReducerConfig); err != nil {
		return nil, err
	}
	return d, nil
}

// ensureReducer makes the reducer if there is none yet. Only a group with a single rank has none.
func (d *DistributedDataParallel) ensureReducer() (err error) {
	if d.reducer == nil {
		if d.reducer, err = distributed.NewReducer(context.Background(), d.group, d.params,
			d.settings.ReducerConfig); err == nil && d.ctx != nil {
			d.reducer.SetContext(d.ctx)
		}
	}
	return err
}

// checkMade returns an error for a nil receiver, and for one that NewDistributedDataParallel did
// not make.
func (d *DistributedDataParallel) checkMade(op string) error {
	switch {
	case d == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "is nil")
	case d.group == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "was not made by NewDistributedDataParallel")
	}
	return nil
}

func (d *DistributedDataParallel) mustBeMade(op string) {
	if err := d.checkMade(op); err != nil {
		panic(err)
	}
}

// Group returns the group of ranks.
func (d *DistributedDataParallel) Group() *distributed.ProcessGroup {
	d.mustBeMade(opDDP + ".Group")
	return d.group
}

// SetContext sets the context of all later waits of Forward and Backward. If the context
// ends, Forward and Backward panic, with distributed.ErrCanceled or ErrTimeout as the
// cause. Forward and Backward on the other ranks panic too. The context also applies to
// layers of [ConvertSyncBatchNorm] in the module. Without a context each wait ends at the
// group's timeout.
func (d *DistributedDataParallel) SetContext(ctx context.Context) {
	d.mustBeMade(opDDP + ".SetContext")
	if ctx == nil {
		panic(torch.NewError(opDDP+".SetContext", torch.ErrNil, "ctx", "a nil context"))
	}
	d.ctx = ctx
	d.passContext()
	if d.reducer != nil {
		d.reducer.SetContext(ctx)
	}
}

// RegisterCommHook replaces the averaging of gradient buckets with a hook:
// [FP16CompressHook], [BF16CompressHook] or a custom one. Every rank must register the
// same hook, before the first Forward. Follows register_comm_hook.
func (d *DistributedDataParallel) RegisterCommHook(hook distributed.CommHook) error {
	if err := d.checkMade(opDDP + ".RegisterCommHook"); err != nil {
		return err
	}
	if err := d.ensureReducer(); err != nil {
		return err
	}
	err := d.reducer.RegisterCommHook(hook)
	d.hasCommHook = d.hasCommHook || err == nil
	return err
}

// BucketBytes returns the current size of each bucket. The constructor makes the buckets. The
// second Forward makes them again, in the order in which the gradients were computed. A single rank
// has no buckets.
func (d *DistributedDataParallel) BucketBytes() ([]int64, error) {
	if err := d.checkMade(opDDP + ".BucketBytes"); err != nil {
		return nil, err
	}
	if d.reducer == nil {
		return nil, nil
	}
	return d.reducer.Buckets()
}

// Release frees the buckets; Close calls it.
func (d *DistributedDataParallel) Release() {
	if d != nil {
		_ = d.reducer.Close()
	}
}
