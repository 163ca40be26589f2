package parallel

import (
	"context"

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
// what a rank whose fn fails does to the others. Follows DistributedDataParallel.join.
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
	_, err := j.all(sync)
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
	rank = -1
	if yes {
		rank = j.d.group.Rank()
	}
	return j.reduce(rank, distributed.Max)
}

// all says whether any rank says yes.
func (j *joining) all(yes bool) (bool, error) {
	n := 0
	if yes {
		n = 1
	}
	n, err := j.reduce(n, distributed.Sum)
	return n > 0, err
}

func (j *joining) reduce(n int, op distributed.ReduceOp) (got int, err error) {
	panicked := torch.Try(func() {
		torch.Scope(func() {
			x := torch.FromSliceWith([]int64{int64(n)}, torch.Shape{1}, torch.CPU)
			if err = j.d.group.AllReduce(j.c.Context(), x, op); err == nil {
				got = int(x.Int64s()[0])
			}
		})
	})
	if panicked != nil {
		err = panicked
	}
	return got, err
}

// Main takes part in an iteration of the others.
func (j *joining) Main(context.Context) error {
	d := j.d
	if err := d.reducer.PrepareForward(false); err != nil {
		return err
	}
	var buffers []*torch.Tensor
	if d.takes {
		buffers = d.buffers()
	}
	if err := j.takeBuffers(buffers, false); err != nil {
		return err
	}
	sync, err := j.all(false)
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
		d.delayed = true
	case d.set.FindUnusedParameters && !d.set.StaticGraph:
		used = distributed.UsedAfter
	}
	return d.reducer.Shadow(used)
}

// Post takes the model of the last rank.
func (j *joining) Post(_ context.Context, last bool) error {
	from, err := j.highest(last)
	if err != nil {
		return err
	}
	return j.d.reducer.Broadcast(append(append([]*torch.Tensor{}, j.d.params...), j.d.buffers()...), from)
}
