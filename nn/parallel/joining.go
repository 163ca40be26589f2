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
	_, err := j.average(1, sync)
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
	all, err := j.reduce(distributed.Max, own)
	if err != nil {
		return -1, err
	}
	return int(all[0]), nil
}

// average says whether gradients are averaged, by those of the ranks that have an input: one
// that has is 1, and says it by sync; one that has none is 0. They have to say the same, or
// some would wait in Backward for others that are in NoSync.
func (j *joining) average(has int64, sync bool) (bool, error) {
	yes := int64(0)
	if sync {
		yes = 1
	}
	said, err := j.reduce(distributed.Sum, yes, has-yes)
	if err != nil {
		return false, err
	}
	if said[0] > 0 && said[1] > 0 {
		g := j.d.group
		return false, &distributed.Error{
			Op: opDDP + ".Forward", Kind: distributed.ErrMismatch, Rank: g.Rank(), World: g.Size(),
			Detail: fmt.Sprintf("gradients are averaged on %d ranks that have an input, and on %d they are not (NoSync, NoGrad)", said[0], said[1]),
		}
	}
	return said[0] > 0, nil
}

func (j *joining) reduce(op distributed.ReduceOp, n ...int64) (got []int64, err error) {
	panicked := torch.Try(func() {
		torch.Scope(func() {
			x := torch.FromSliceWith(n, torch.Shape{int64(len(n))}, torch.CPU)
			if err = j.d.group.AllReduce(j.c.Context(), x, op); err == nil {
				got = x.Int64s()
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
	return j.average(0, false)
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
