package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

const opDDP = "parallel.DistributedDataParallel"

// DistributedDataParallel is a module that wraps another one, of which each rank of a
// group has a copy: its backward pass averages gradients over the ranks. The wrapped
// module is its child "module", so names in its state dict begin with that, as in Python.
// It must not be used by several goroutines at once. Follows
// torch.nn.parallel.DistributedDataParallel.
//
// All ranks must call Forward and Backward equally often. If all ranks are Go's, and
// unless distributed.Check(false) was given, a difference is detected and fails with
// distributed.ErrMismatch instead of waiting forever. This includes ranks within
// [DistributedDataParallel.Join], even those without inputs.
type DistributedDataParallel struct {
	nn.Base
	Module nn.Module // the wrapped module

	group     *distributed.ProcessGroup
	reducer   *distributed.Reducer // nil for a single rank without a hook
	params    []*torch.Tensor      // those that are averaged
	whole     []parameter          // all of the module's
	set       settings
	forwards  string // what ranks compare
	hasNoSync bool   // within NoSync
	takes     bool   // the next Forward copies buffers: the last one's gradients were averaged
	hooked    bool   // there is a communication hook
	delayed   bool   // a static graph has seen its first backward pass
	missed    bool   // passes of other ranks within a Join: this one does not know its graph
	joined    *joining
	ctx       context.Context //nolint:containedctx // of SetContext, for a reducer that is made later
}

// NewDistributedDataParallel wraps a module. The parameters and buffers of rank 0 are
// copied to all ranks. It waits for them; the context only applies to this, see
// [DistributedDataParallel.SetContext]. Call it after the module is on its device and
// before making the optimizer, which gets the same parameters.
//
// It returns a *torch.Error for a module without parameters that require gradients, or
// with parameters on several types of devices. It returns a *distributed.Error with
// ErrMismatch on all ranks if their modules or options differ. Closing it closes the
// wrapped module too.
func NewDistributedDataParallel(ctx context.Context, module nn.Module, g *distributed.ProcessGroup,
	opts ...Option,
) (*DistributedDataParallel, error) {
	set, wrong := readOptions(opDDP, opts)
	if g == nil {
		return nil, torch.NewError(opDDP, torch.ErrNil, "g", "a nil group")
	}
	if g.Rank() < 0 {
		return nil, noMember(opDDP)
	}
	d := &DistributedDataParallel{Module: module, group: g, set: set, takes: true}
	if err := torch.Try(func() {
		d.Init(d, nn.TypeName("DistributedDataParallel"))
		d.Register("module", module)
		d.set.Refused = d.collect()
	}); err != nil {
		d.set.Refused = err
	}
	if wrong != nil {
		d.set.Refused = wrong // the other ranks are told, which wait for this one
	}
	d.forwards = fmt.Sprintf("with %d parameters", len(d.params))
	if g.Size() == 1 && d.set.Refused == nil {
		return d, nil // the average is the rank's own gradient: no bucket, no copy
	}
	var err error
	if d.reducer, err = distributed.NewReducer(ctx, g, d.params, d.set.ReducerConfig); err != nil {
		return nil, err
	}
	return d, nil
}

// reduces makes the reducer of a single rank.
func (d *DistributedDataParallel) reduces() (err error) {
	if d.reducer == nil {
		if d.reducer, err = distributed.NewReducer(context.Background(), d.group, d.params,
			d.set.ReducerConfig); err == nil && d.ctx != nil {
			d.reducer.SetContext(d.ctx)
		}
	}
	return err
}

// collect lists the parameters in Python's order.
func (d *DistributedDataParallel) collect() error {
	seen := map[*torch.Tensor]bool{}
	kinds := map[string]bool{}
	for _, m := range nn.NamedModules(d.Module) {
		sparse := false
		switch l := m.Module.(type) {
		case *nn.Embedding:
			sparse = l.Sparse
		case *nn.EmbeddingBag:
			sparse = l.Sparse
		}
		for _, p := range m.Module.NamedParameters(nn.Recurse(false)) {
			name := p.Name
			if m.Name != "" {
				name = m.Name + "." + name
			}
			if seen[p.Tensor] || slices.Contains(d.set.ignore, name) {
				continue
			}
			seen[p.Tensor] = true
			d.whole = append(d.whole, parameterOf(name, p.Tensor))
			kinds[p.Tensor.Device().Type()] = true
			if !p.Tensor.RequiresGrad() {
				continue
			}
			d.params = append(d.params, p.Tensor)
			d.set.Names = append(d.set.Names, name)
			d.set.Sparse = append(d.set.Sparse, sparse)
		}
	}
	switch {
	case len(d.params) == 0:
		return torch.NewError(opDDP, torch.ErrValue, "module",
			"has no parameter that requires a gradient, so there is nothing to average")
	case len(kinds) > 1:
		return torch.NewError(opDDP, torch.ErrDevice, "module", "has parameters on several types of devices")
	}
	d.set.Buffers = d.buffers()
	return d.known()
}

// known returns an error for unknown names to ignore, and for one name of a tensor that
// is not ignored under its other name: neither would have an effect.
func (d *DistributedDataParallel) known() error {
	names := slices.Concat(d.Module.NamedParameters(), d.Module.ModuleBase().NamedBuffers())
	all := slices.Concat(d.Module.NamedParameters(nn.RemoveDuplicate(false)),
		d.Module.ModuleBase().NamedBuffers(nn.RemoveDuplicate(false)))
	for _, name := range d.set.ignore {
		i := slices.IndexFunc(all, func(t nn.NamedTensor) bool { return t.Name == name })
		if i < 0 {
			return torch.NewError(opDDP, torch.ErrValue, "Ignore",
				fmt.Sprintf("the module has no parameter or buffer %q; it has %s", name, several(names)))
		}
		if other := d.heeded(all[i].Tensor, names); other != "" {
			return torch.NewError(opDDP, torch.ErrValue, "Ignore",
				fmt.Sprintf("%s is the same tensor as %s; name both", name, other))
		}
	}
	return nil
}

// heeded returns the name under which a tensor is averaged or sent, or "".
func (d *DistributedDataParallel) heeded(t *torch.Tensor, names []nn.NamedTensor) string {
	for _, p := range d.whole {
		if p.tensor == t {
			return p.name
		}
	}
	if slices.Contains(d.set.Buffers, t) {
		return names[slices.IndexFunc(names, func(n nn.NamedTensor) bool { return n.Tensor == t })].Name
	}
	return ""
}

// several lists names, but not all of a large module.
func several(names []nn.NamedTensor) string {
	const most = 20
	var list []string
	for _, n := range names[:min(most, len(names))] {
		list = append(list, n.Name)
	}
	text := strings.Join(list, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// parameter is the state of a parameter when the reducer was made, which has hooks on it.
type parameter struct {
	name     string
	tensor   *torch.Tensor
	dtype    torch.DType
	device   torch.Device
	requires bool
}

func parameterOf(name string, t *torch.Tensor) parameter {
	return parameter{name, t, t.DType(), t.Device(), t.RequiresGrad()}
}

// unchanged returns an error for a module whose parameters have been replaced: their
// gradients would silently not be averaged.
func (d *DistributedDataParallel) unchanged() error {
	i := 0
	for _, t := range d.Module.Parameters() {
		switch {
		case i < len(d.whole) && parameterOf(d.whole[i].name, t) == d.whole[i]:
			i++
		case d.ignores(t):
		case i < len(d.whole):
			return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", d.whole[i].name+changed)
		default:
			return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", "a parameter"+changed)
		}
	}
	if i < len(d.whole) {
		return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", d.whole[i].name+changed)
	}
	return nil
}

const changed = " was replaced or converted after the module was wrapped; convert it before, or wrap it again"

// ignores reports whether a parameter is named by Ignore.
func (d *DistributedDataParallel) ignores(t *torch.Tensor) bool {
	return len(d.set.ignore) > 0 && slices.ContainsFunc(d.Module.NamedParameters(), func(p nn.NamedTensor) bool {
		return p.Tensor == t && slices.Contains(d.set.ignore, p.Name)
	})
}

// buffers returns the buffers that each Forward copies. A program may have replaced some.
func (d *DistributedDataParallel) buffers() []*torch.Tensor {
	if !d.set.buffers {
		return nil
	}
	var ts []*torch.Tensor
	for _, b := range d.Module.ModuleBase().NamedBuffers() {
		if !slices.Contains(d.set.ignore, b.Name) {
			ts = append(ts, b.Tensor)
		}
	}
	return ts
}

// made returns an error for a nil receiver, and for one that its constructor did not
// make.
func (d *DistributedDataParallel) made(op string) error {
	switch {
	case d == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "is nil")
	case d.group == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "was not made by NewDistributedDataParallel")
	}
	return nil
}

func (d *DistributedDataParallel) must(op string) {
	if err := d.made(op); err != nil {
		panic(err)
	}
}

// Group returns the group of ranks.
func (d *DistributedDataParallel) Group() *distributed.ProcessGroup {
	d.must(opDDP + ".Group")
	return d.group
}

// SetContext sets the context of all later waits of Forward and Backward. If it ends they
// panic, with distributed.ErrCanceled or ErrTimeout as the cause, also on the other
// ranks. It applies to layers of [ConvertSyncBatchNorm] in the module, too. Without it
// each wait ends at the group's timeout.
func (d *DistributedDataParallel) SetContext(ctx context.Context) {
	d.must(opDDP + ".SetContext")
	if ctx == nil {
		panic(torch.NewError(opDDP+".SetContext", torch.ErrNil, "ctx", "a nil context"))
	}
	d.ctx = ctx
	d.handContext()
	if d.reducer != nil {
		d.reducer.SetContext(ctx)
	}
}

// Forward runs the module, which must be an [nn.Layer]. If gradients are recorded, and
// outside of [DistributedDataParallel.NoSync], the next backward pass averages the
// gradients. It panics with ErrType for another module; use
// [DistributedDataParallel.ForwardFunc]. It panics with ErrAutograd if parameters got no
// gradient in the last backward pass, unless [FindUnusedParameters] is given, and with
// the cause if the group has failed.
func (d *DistributedDataParallel) Forward(x *torch.Tensor) *torch.Tensor {
	d.must(opDDP + ".Forward")
	layer, ok := d.Module.(nn.Layer)
	if !ok {
		panic(torch.NewError(opDDP+".Forward", torch.ErrType, "module",
			fmt.Sprintf("the Forward of %T does not take one tensor and return one; use ForwardFunc", d.Module)))
	}
	return d.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		return d.forward(func() []*torch.Tensor { return []*torch.Tensor{layer.Forward(in[0])} })
	})[0]
}

// ForwardFunc is Forward for a module with other inputs or results: fn calls its Forward.
//
//	out := net.ForwardFunc(func() []*torch.Tensor {
//		y, h := model.Forward(x, mask)
//		return []*torch.Tensor{y, h}
//	})
func (d *DistributedDataParallel) ForwardFunc(fn func() []*torch.Tensor) []*torch.Tensor {
	d.must(opDDP + ".ForwardFunc")
	if fn == nil {
		panic(torch.NilFunc(opDDP+".ForwardFunc", "fn"))
	}
	return d.CallN(nil, func([]*torch.Tensor) []*torch.Tensor { return d.forward(fn) })
}

func (d *DistributedDataParallel) forward(fn func() []*torch.Tensor) []*torch.Tensor {
	d.handContext() // also to layers converted since
	if d.reducer == nil {
		return fn()
	}
	if err := d.reducer.BeginForward(); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	defer d.reducer.EndForward()
	if err := d.unchanged(); err != nil {
		panic(err)
	}
	sync := torch.IsGradEnabled() && !d.hasNoSync
	if err := d.before(sync); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	outs := fn()
	d.takes = sync
	if !sync {
		return outs
	}
	if err := d.reducer.PrepareBackward(outs...); err != nil {
		panic(asPanic(opDDP+".Forward", err))
	}
	if d.set.FindUnusedParameters && !d.set.StaticGraph || d.set.StaticGraph && !d.delayed {
		return d.sink(outs)
	}
	return outs
}

// asPanic returns the panic value of Forward: a *torch.Error, which wraps an error of the
// group.
func asPanic(op string, err error) error {
	var e *torch.Error
	if errors.As(err, &e) {
		return e
	}
	return torch.WrapError(op, err)
}

func (d *DistributedDataParallel) before(sync bool) error {
	if d.missed {
		ctx := d.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		_ = d.group.Broadcast(ctx, nil, d.group.GlobalRank(0)) // the others are told
		return torch.NewError(opDDP+".Forward", torch.ErrValue, "receiver",
			"has a static graph whose first pass was in a Join in which this rank had no input; make it again, or "+
				"let each rank make a pass first")
	}
	var buffers []*torch.Tensor
	if d.takes {
		buffers = d.buffers()
	}
	how := fmt.Sprintf("gradients averaged: %v", sync)
	if d.joined != nil {
		how = "within Join" // ranks without inputs do not know it yet
	}
	if err := d.agree(len(buffers), how); err != nil {
		return err
	}
	if d.joined != nil {
		if err := d.joined.notify(); err != nil {
			return err
		}
	}
	if torch.IsGradEnabled() {
		if err := d.reducer.PrepareForward(sync); err != nil {
			return err
		}
	}
	return d.takeBuffers(buffers, sync)
}

// agree sets what the ranks compare before the collectives of the next passes.
func (d *DistributedDataParallel) agree(buffers int, how string) error {
	return d.reducer.Agree(fmt.Sprintf(".Forward %s, %d buffers, %s", d.forwards, buffers, how),
		fmt.Sprintf(".Backward %s, a hook of communication: %v", d.forwards, d.hooked))
}

// takeBuffers copies the buffers of rank 0, or of one that still has inputs.
func (d *DistributedDataParallel) takeBuffers(buffers []*torch.Tensor, sync bool) error {
	if d.joined != nil {
		return d.joined.before(buffers, sync)
	}
	if len(buffers) == 0 {
		return nil
	}
	return d.reducer.Broadcast(buffers, 0)
}

// sink passes the outputs through a graph node that accepts missing gradients, so that
// unused outputs count as used. In a static graph it makes the first backward pass
// average all gradients at its end.
func (d *DistributedDataParallel) sink(outs []*torch.Tensor) []*torch.Tensor {
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
			if d.set.StaticGraph && !d.delayed {
				if err := d.reducer.Delay(); err != nil {
					panic(err)
				}
				d.delayed = true
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

// NoSync calls fn, in which Forward does not average gradients: backward passes
// accumulate this rank's gradients. The first Forward and Backward afterwards average the
// accumulated gradients. Follows no_sync.
func (d *DistributedDataParallel) NoSync(fn func()) {
	d.must(opDDP + ".NoSync")
	if fn == nil {
		panic(torch.NilFunc(opDDP+".NoSync", "fn"))
	}
	was := d.hasNoSync
	d.hasNoSync = true
	defer func() { d.hasNoSync = was }()
	fn()
}

// RegisterCommHook replaces the averaging of gradient buckets by a hook:
// [FP16CompressHook], [BF16CompressHook] or a custom one. Every rank must register the
// same, before the first Forward. Follows register_comm_hook.
func (d *DistributedDataParallel) RegisterCommHook(hook distributed.CommHook) error {
	if err := d.made(opDDP + ".RegisterCommHook"); err != nil {
		return err
	}
	if err := d.reduces(); err != nil {
		return err
	}
	err := d.reducer.RegisterCommHook(hook)
	d.hooked = d.hooked || err == nil
	return err
}

// BucketBytes returns the present size of each bucket. The constructor makes the buckets,
// and the second Forward makes them again, in the order in which gradients came. A single
// rank has none.
func (d *DistributedDataParallel) BucketBytes() ([]int64, error) {
	if err := d.made(opDDP + ".BucketBytes"); err != nil {
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
