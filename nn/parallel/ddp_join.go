package parallel

import (
	"context"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// joinState is the state of a module within join.Join.
type joinState struct {
	d *DistributedDataParallel
	c *join.Context
}

// JoinGroup returns the module's group, for join.Join. It returns nil for a nil module.
func (d *DistributedDataParallel) JoinGroup() *distributed.ProcessGroup {
	if d == nil {
		return nil // which Join rejects
	}
	return d.group
}

// BeginJoin prepares the module for ranks with different numbers of inputs. join.Join calls it.
func (d *DistributedDataParallel) BeginJoin(c *join.Context) (join.Hook, error) {
	if err := d.checkMade(opDDP + ".BeginJoin"); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, torch.NewError(opDDP+".BeginJoin", torch.ErrNil, "c", "is nil")
	}
	if d.join != nil {
		return nil, torch.NewError(opDDP+".BeginJoin", torch.ErrValue, "receiver", "is already in a Join")
	}
	if err := d.ensureReducer(); err != nil {
		return nil, err
	}
	if slices.Contains(d.settings.Sparse, true) {
		return nil, torch.NewError(opDDP+".Join", torch.ErrValue, "receiver",
			"has parameters with sparse gradients, for which a rank without inputs cannot send zeros")
	}
	if hasConverted(d.Module) && !c.ThrowsOnEarlyTermination() {
		return nil, torch.NewError(opDDP+".Join", torch.ErrValue, "receiver",
			"has layers of ConvertSyncBatchNorm, and a rank without inputs cannot contribute to their statistics; use "+
				"join.ThrowOnEarlyTermination(true)")
	}
	d.join = &joinState{d: d, c: c}
	return d.join, nil
}

// EndJoin ends the Join that BeginJoin began. It does nothing if there is none.
func (d *DistributedDataParallel) EndJoin() {
	d.mustBeMade(opDDP + ".EndJoin")
	if d.join == nil {
		return
	}
	d.join = nil
	_ = d.reducer.SetDivideFactor(0) // ignore the error: it only means that the group has ended
}

// Join calls fn, the training loop of this rank, and then takes part in the iterations of
// the ranks that have more inputs, with zero gradients, until all have ended. Afterwards
// all ranks have the model of the rank that ended last. If the module has layers of
// [ConvertSyncBatchNorm], Join needs join.ThrowOnEarlyTermination(true). Join calls
// join.Join with this module; see join.Join for what happens when fn fails on a rank.
//
// In each iteration the ranks with an input call Forward once and then Backward. Either
// all do so within NoSync or none does. A difference causes distributed.ErrMismatch on
// all ranks if they compare their calls; otherwise Gloo may end the processes. fn must
// not itself sum a single float32 over the ranks, because Join would mistake that
// collective for its own. With a static graph each rank must run the first pass itself.
// Otherwise the rank cannot continue after the Join. Gradients must be dense. Follows
// DistributedDataParallel.join.
func (d *DistributedDataParallel) Join(ctx context.Context, fn func() error, opts ...join.Option) error {
	if err := d.checkMade(opDDP + ".Join"); err != nil {
		return err
	}
	return join.Join(ctx, []join.Joinable{d}, fn, opts...)
}

// prepareForward runs before Forward on a rank that has an input.
func (j *joinState) prepareForward(buffers []*torch.Tensor, sync bool) error {
	if err := j.copyBuffers(buffers, true); err != nil {
		return err
	}
	_, err := j.isAveraged(sync)
	return err
}

// notify tells the ranks without inputs that this rank has an input.
func (j *joinState) notify() error {
	active, err := j.c.Notify(j.d)
	if err != nil {
		return err
	}
	if j.c.DivideByInitialWorldSize() {
		active = 0
	}
	return j.d.reducer.SetDivideFactor(active)
}

// copyBuffers copies the buffers from the highest rank that has an input. The last
// argument says whether this rank has one.
func (j *joinState) copyBuffers(buffers []*torch.Tensor, has bool) error {
	if len(buffers) == 0 {
		return nil
	}
	from, err := j.highestRank(has)
	if err != nil {
		return err
	}
	return j.d.reducer.Broadcast(buffers, from)
}

// highestRank returns the highest of the ranks in the group that call it with true.
func (j *joinState) highestRank(yes bool) (rank int, err error) {
	own := int64(-1)
	if yes {
		own = int64(j.d.group.Rank())
	}
	all, err := j.reduce(distributed.Max, torch.FromSliceWith([]int64{own}, torch.Shape{1}, torch.CPU))
	return int(all), err
}

// isAveraged reports whether the ranks with an input average gradients. Those ranks pass sync; the
// others pass false. The ranks with an input must agree: otherwise some would wait in Backward for
// ranks that are in NoSync. Python does not check that.
func (j *joinState) isAveraged(sync bool) (bool, error) {
	own := float32(0)
	if sync {
		own = 1
	}
	all, err := j.reduce(distributed.Sum, torch.FromSliceWith([]float32{own}, torch.Shape{1}, torch.CPU))
	if err != nil {
		return false, err
	}
	yes, active := int(all), j.c.Active(j.d)
	if yes > 0 && yes < active {
		g := j.d.group
		return false, &distributed.Error{
			Op: opDDP + ".Forward", Kind: distributed.ErrMismatch, Rank: g.Rank(), World: g.Size(),
			Detail: fmt.Sprintf("gradients are averaged on %d ranks with an input, but not on %d others (NoSync, "+
				"NoGrad)", yes, active-yes),
		}
	}
	return yes > 0, nil
}

// reduce combines the number in the tensor own with the numbers of the other ranks, and
// closes own. The tensor has the dtype and shape that Python uses.
func (j *joinState) reduce(op distributed.ReduceOp, own *torch.Tensor) (all float64, err error) {
	defer own.Close()
	panicked := torch.Try(func() {
		if err = j.d.group.AllReduce(j.c.Context(), own, op); err == nil {
			all = own.Item()
		}
	})
	if panicked != nil {
		err = panicked
	}
	return all, err
}

// Main takes part in one iteration of the ranks that still have inputs.
func (j *joinState) Main(context.Context) error {
	d := j.d
	sync, err := j.shadowForward()
	if err != nil {
		return err
	}
	if d.copiesBuffers = sync; !sync {
		return nil
	}
	used := distributed.UsedNever
	switch {
	case d.settings.StaticGraph && !d.sawBackward:
		used = distributed.UsedBefore
		d.sawBackward, d.missedFirstPass = true, true
	case d.settings.FindUnusedParameters && !d.settings.StaticGraph:
		used = distributed.UsedAfter
	}
	return d.reducer.MatchAllReduce(used)
}

// shadowForward takes part in a forward pass of the ranks that still have inputs. It reports
// whether a backward pass that averages gradients follows.
func (j *joinState) shadowForward() (bool, error) {
	d := j.d
	if err := d.reducer.BeginForward(); err != nil {
		return false, err
	}
	defer d.reducer.EndForward()
	var buffers []*torch.Tensor
	if d.copiesBuffers {
		buffers = d.syncedBuffers()
	}
	if err := d.describePasses(len(buffers), "within Join"); err != nil {
		return false, err
	}
	if err := d.reducer.PrepareForward(false); err != nil {
		return false, err
	}
	if err := j.copyBuffers(buffers, false); err != nil {
		return false, err
	}
	return j.isAveraged(false)
}

// Post copies the model from the last rank.
func (j *joinState) Post(_ context.Context, last bool) error {
	from, err := j.highestRank(last)
	if err != nil {
		return err
	}
	if err := j.d.reducer.SetComparedTexts(".Join, its end", ".Join, its end"); err != nil {
		return err
	}
	return j.d.reducer.Broadcast(slices.Concat(j.d.settings.All, j.d.syncedBuffers()), from)
}
