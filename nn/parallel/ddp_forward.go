package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Forward runs the module, which must be an [nn.Layer]. If gradients are recorded, the next
// backward pass averages the gradients, except within [DistributedDataParallel.NoSync]. It panics
// with ErrType if the module is not an nn.Layer; then use [DistributedDataParallel.ForwardFunc]. It
// panics with ErrAutograd if parameters got no gradient in the last backward pass, unless
// [FindUnusedParameters] is given. If the group has failed, it panics with the cause.
func (d *DistributedDataParallel) Forward(x *torch.Tensor) *torch.Tensor {
	d.mustBeMade(opDDP + ".Forward")
	layer, ok := d.Module.(nn.Layer)
	if !ok {
		panic(torch.NewError(opDDP+".Forward", torch.ErrType, "module",
			fmt.Sprintf("the Forward of %T does not take one tensor and return one tensor; use ForwardFunc", d.Module)))
	}
	return d.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		return d.forward(func() []*torch.Tensor { return []*torch.Tensor{layer.Forward(in[0])} })
	})[0]
}

// ForwardFunc is Forward for a module with other inputs or results. fn calls the module's Forward:
//
//	out := net.ForwardFunc(func() []*torch.Tensor {
//		y, h := model.Forward(x, mask)
//		return []*torch.Tensor{y, h}
//	})
func (d *DistributedDataParallel) ForwardFunc(fn func() []*torch.Tensor) []*torch.Tensor {
	d.mustBeMade(opDDP + ".ForwardFunc")
	if fn == nil {
		panic(torch.NilFunc(opDDP+".ForwardFunc", "fn"))
	}
	return d.CallN(nil, func([]*torch.Tensor) []*torch.Tensor { return d.forward(fn) })
}

func (d *DistributedDataParallel) forward(fn func() []*torch.Tensor) []*torch.Tensor {
	d.passContext() // gives the context also to layers that were converted after SetContext
	if d.reducer == nil {
		return fn()
	}
	if err := d.reducer.BeginForward(); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	defer d.reducer.EndForward()
	if err := d.checkUnchanged(); err != nil {
		panic(err)
	}
	if d.inNoSync && torch.IsGradEnabled() && d.settings.StaticGraph && !d.sawBackward {
		// libtorch's reducer would count the gradients of both passes, and later wait for as many.
		panic(torch.NewError(opDDP+".Forward", torch.ErrValue, "receiver",
			"has a static graph, whose first pass must average gradients; run it outside of NoSync"))
	}
	sync := torch.IsGradEnabled() && !d.inNoSync
	if err := d.prepareForward(sync); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	outs := fn()
	d.copiesBuffers = sync
	if !sync {
		return outs
	}
	if err := d.reducer.PrepareBackward(outs...); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	if d.settings.FindUnusedParameters && !d.settings.StaticGraph || d.settings.StaticGraph && !d.sawBackward {
		return d.wrapOutputs(outs)
	}
	return outs
}

// asPanic returns the value with which Forward panics: a *torch.Error, which wraps an error of the
// group.
func asPanic(op string, err error) error {
	var e *torch.Error
	if errors.As(err, &e) {
		return e
	}
	return torch.WrapError(op, err)
}

func (d *DistributedDataParallel) prepareForward(sync bool) error {
	if d.missedFirstPass {
		ctx := d.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		// This call fails on all ranks, so the other ranks do not wait.
		_ = d.group.Broadcast(ctx, nil, d.group.GlobalRank(0))
		return torch.NewError(opDDP+".Forward", torch.ErrValue, "receiver",
			"has a static graph whose first pass was in a Join in which this rank had no input; wrap the module "+
				"again, or run a pass on each rank before the Join")
	}
	var buffers []*torch.Tensor
	if d.copiesBuffers {
		buffers = d.syncedBuffers()
	}
	how := fmt.Sprintf("gradients averaged: %v", sync)
	if d.join != nil {
		how = "within Join" // ranks without inputs run no Forward, so they do not know the value of sync
	}
	if err := d.describePasses(len(buffers), how); err != nil {
		return err
	}
	if d.join != nil {
		if err := d.join.notify(); err != nil {
			return err
		}
	}
	if torch.IsGradEnabled() {
		if err := d.reducer.PrepareForward(sync); err != nil {
			return err
		}
	}
	return d.copyBuffers(buffers, sync)
}

// describePasses sets the texts that the ranks compare before the collectives of the next passes.
func (d *DistributedDataParallel) describePasses(buffers int, how string) error {
	return d.reducer.SetComparedTexts(fmt.Sprintf(".Forward %s, %d buffers, %s", d.passName, buffers, how),
		fmt.Sprintf(".Backward %s, a hook of communication: %v", d.passName, d.hasCommHook))
}

// copyBuffers copies the buffers from rank 0 or, within a Join, from a rank that has an input.
func (d *DistributedDataParallel) copyBuffers(buffers []*torch.Tensor, sync bool) error {
	if d.join != nil {
		return d.join.prepareForward(buffers, sync)
	}
	if len(buffers) == 0 {
		return nil
	}
	return d.reducer.Broadcast(buffers, 0)
}

// wrapOutputs passes the outputs through a graph node that accepts missing gradients, so that
// outputs without a gradient count as used. In a static graph the node makes the first backward
// pass average all gradients at its end.
func (d *DistributedDataParallel) wrapOutputs(outs []*torch.Tensor) []*torch.Tensor {
	f := torch.Function{
		Name:    "DDPSink",
		KeepNil: true,
		Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			copies := make([]*torch.Tensor, len(in))
			for i, t := range in {
				copies[i] = t.Clone()
			}
			return copies
		},
		Backward: func(_ *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			if d.settings.StaticGraph && !d.sawBackward {
				if err := d.reducer.DelayAllReduce(); err != nil {
					panic(err)
				}
				d.sawBackward = true
			}
			return grads
		},
	}
	var in []*torch.Tensor
	var at []int
	for i, t := range outs {
		if t != nil && t.RequiresGrad() && !t.IsLeaf() {
			in, at = append(in, t), append(at, i)
		}
	}
	if len(in) == 0 {
		return outs
	}
	outs = slices.Clone(outs)
	for i, t := range f.Apply(in...) {
		outs[at[i]] = t
	}
	return outs
}

// NoSync calls fn. Within fn, Forward does not average gradients, and backward passes accumulate
// this rank's gradients. The first Forward and Backward after NoSync average the accumulated
// gradients. With [StaticGraph], Forward panics with ErrValue within fn until a backward pass has
// averaged gradients. Follows no_sync.
func (d *DistributedDataParallel) NoSync(fn func()) {
	d.mustBeMade(opDDP + ".NoSync")
	if fn == nil {
		panic(torch.NilFunc(opDDP+".NoSync", "fn"))
	}
	was := d.inNoSync
	d.inNoSync = true
	defer func() { d.inNoSync = was }()
	fn()
}
