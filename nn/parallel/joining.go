package parallel

import (
	"context"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// joining is a module within join.Join.
type joining struct {
	d *DistributedDataParallel
	c *join.Context
}

// JoinGroup returns the group, for join.Join; nil of a nil module.
func (d *DistributedDataParallel) JoinGroup() *distributed.ProcessGroup {
	if d == nil {
		return nil // which Join refuses
	}
	return d.group
}

// BeginJoin prepares for ranks with different numbers of inputs; join.Join calls it.
func (d *DistributedDataParallel) BeginJoin(c *join.Context) (join.Hook, error) {
	if err := d.made(opDDP + ".BeginJoin"); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, torch.NewError(opDDP+".BeginJoin", torch.ErrNil, "c", "is nil")
	}
	if d.joined != nil {
		return nil, torch.NewError(opDDP+".BeginJoin", torch.ErrValue, "receiver", "is in a Join already")
	}
	if err := d.reduces(); err != nil {
		return nil, err
	}
	if slices.Contains(d.set.Sparse, true) {
		return nil, torch.NewError(opDDP+".Join", torch.ErrValue, "receiver", "has parameters with sparse gradients, of which a rank without inputs has no zeros to give")
	}
	if converted(d.Module) && !c.ThrowsOnEarlyTermination() {
		return nil, torch.NewError(opDDP+".Join", torch.ErrValue, "receiver",
			"has layers of ConvertSyncBatchNorm, whose statistics a rank without inputs cannot take part in: give join.ThrowOnEarlyTermination(true)")
	}
	d.joined = &joining{d: d, c: c}
	return d.joined, nil
}

// EndJoin ends what BeginJoin began, and does nothing if it did not.
func (d *DistributedDataParallel) EndJoin() {
	d.must(opDDP + ".EndJoin")
	if d.joined == nil {
		return
	}
	d.joined = nil
	_ = d.reducer.Divide(0) // of a group that has ended, it does not matter
}

// Join calls fn, the loop of this rank, and then takes part in the iterations of the ranks
// that have more inputs, with zeros for gradients, until all have ended. The model is that
// of the last of them then. A module with collectives of its own, such as a SyncBatchNorm,
// needs join.ThrowOnEarlyTermination(true). It is join.Join of this module alone, which says
// what a rank whose fn fails does to the others.
//
// In each iteration the ranks that have an input call Forward once and then Backward, all of
// them within NoSync or none. What differs is distributed.ErrMismatch on all ranks where they
// compare what they call; where they do not, Gloo may end the processes. fn may call no
// collective of its own that is the sum of one float32: it would be taken for one of Join's.
// Of a static graph each rank makes the first pass itself, or it cannot go on after the Join.
// Gradients have to be dense. Follows DistributedDataParallel.join.
func (d *DistributedDataParallel) Join(ctx context.Context, fn func() error, opts ...join.Option) error {
	if err := d.made(opDDP + ".Join"); err != nil {
		return err
	}
	return join.Join(ctx, []join.Joinable{d}, fn, opts...)
}

// before is what comes before Forward of a rank that has an input.
func (j *joining) before(buffers []*torch.Tensor, sync bool) error {
	if err := j.takeBuffers(buffers, true); err != nil {
		return err
	}
	_, err := j.average(sync)
	return err
}

// notify tells the ranks that have no more inputs of this one's.
func (j *joining) notify() error {
	active, err := j.c.Notify(j.d)
	if err != nil {
		return err
	}
	if j.c.DivideByInitialWorldSize() {
		active = 0
	}
	return j.d.reducer.Divide(active)
}

// takeBuffers takes them from the highest rank that has an input.
func (j *joining) takeBuffers(buffers []*torch.Tensor, has bool) error {
	if len(buffers) == 0 {
		return nil
	}
	from, err := j.highest(has)
	if err != nil {
		return err
	}
	return j.d.reducer.Broadcast(buffers, from)
}

// highest returns the highest rank in the group of those that say yes.
func (j *joining) highest(yes bool) (rank int, err error) {
	own := int64(-1)
	if yes {
		own = int64(j.d.group.Rank())
	}
	all, err := j.reduce(distributed.Max, torch.FromSliceWith([]int64{own}, torch.Shape{1}, torch.CPU))
	return int(all), err
}

// average says whether gradients are averaged, by those of the ranks that have an input, which
// say it by sync. They have to say the same, or some would wait in Backward for others that are
// in NoSync; Python's do not look.
func (j *joining) average(sync bool) (bool, error) {
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
			Detail: fmt.Sprintf("gradients are averaged on %d ranks that have an input, and on %d they are not (NoSync, NoGrad)", yes, active-yes),
		}
	}
	return yes > 0, nil
}

// reduce combines the number of each rank, of Python's dtype and size, and closes own.
func (j *joining) reduce(op distributed.ReduceOp, own *torch.Tensor) (all float64, err error) {
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

// Main takes part in an iteration of the others.
func (j *joining) Main(context.Context) error {
	d := j.d
	sync, err := j.forward()
	if err != nil {
		return err
	}
	if d.takes = sync; !sync {
		return nil
	}
	used := distributed.UsedNever
	switch {
	case d.set.StaticGraph && !d.delayed:
		used = distributed.UsedBefore
		d.delayed, d.missed = true, true
	case d.set.FindUnusedParameters && !d.set.StaticGraph:
		used = distributed.UsedAfter
	}
	return d.reducer.Shadow(used)
}

// forward takes part in a forward pass of the others, and says whether a backward pass follows
// that averages gradients.
func (j *joining) forward() (bool, error) {
	d := j.d
	if err := d.reducer.BeginForward(); err != nil {
		return false, err
	}
	defer d.reducer.EndForward()
	var buffers []*torch.Tensor
	if d.takes {
		buffers = d.buffers()
	}
	if err := d.agree(len(buffers), "within Join"); err != nil {
		return false, err
	}
	if err := d.reducer.PrepareForward(false); err != nil {
		return false, err
	}
	if err := j.takeBuffers(buffers, false); err != nil {
		return false, err
	}
	return j.average(false)
}

// Post takes the model of the last rank.
func (j *joining) Post(_ context.Context, last bool) error {
	from, err := j.highest(last)
	if err != nil {
		return err
	}
	if err := j.d.reducer.Agree(".Join, its end", ".Join, its end"); err != nil {
		return err
	}
	return j.d.reducer.Broadcast(append(append([]*torch.Tensor{}, j.d.params...), j.d.buffers()...), from)
}
