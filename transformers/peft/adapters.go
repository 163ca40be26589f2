package peft

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Adapters are the adapters of a model. [Add] and [Load] make them. The methods change the
// model, so no other goroutine may use it meanwhile.
type Adapters struct {
	model   nn.Module
	state   *state
	configs map[string]config
	names   []string // in the order in which they were added
	closed  bool
}

// Add freezes the parameters of a model and adds an adapter, which is active. New layers
// take over the mode of those that they wrap: call Train on the model before training it.
// With the same seed, the adapter has the same values as Python's. The error says which
// option is wrong or which layer cannot have an adapter; the model is then unchanged.
// Follows get_peft_model.
func Add(model nn.Module, opts ...AddOption) (*Adapters, error) {
	const op = "peft.Add"
	a, err := start(op, model)
	if err == nil {
		err = a.add(readAddOptions(op, opts), true)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	a.setActive(a.names, true)
	return a, nil
}

// start returns the Adapters of a model that has none.
func start(op string, model nn.Module) (*Adapters, error) {
	if model == nil {
		panic(torch.NewError(op, torch.ErrNil, "model", "no model"))
	}
	for _, c := range nn.NamedModules(model) {
		switch c.Module.(type) {
		case *Layer, *Saved:
			return nil, fmt.Errorf("%w: the model has adapters; call the method of its Adapters", torch.ErrValue)
		}
	}
	return &Adapters{model: model, state: &state{}, configs: map[string]config{}}, nil
}

// mustBeOpen panics after Unload.
func (a *Adapters) mustBeOpen(op string) {
	if a == nil || a.model == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "make it with peft.Add or peft.Load"))
	}
	if a.closed {
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "the adapters were unloaded"))
	}
}

// mustHave panics with ErrIndex for a name that no adapter has.
func (a *Adapters) mustHave(op string, names ...string) {
	for _, n := range names {
		if _, ok := a.configs[n]; !ok {
			panic(torch.NewError(op, torch.ErrIndex, "name", fmt.Sprintf("no adapter %q; there are %q", n, a.names)))
		}
	}
}

// Add adds another adapter, which is not active. It returns an error as the function [Add]
// does. Follows add_adapter.
func (a *Adapters) Add(opts ...AddOption) error {
	const op = "peft.Adapters.Add"
	a.mustBeOpen(op)
	if err := a.add(readAddOptions(op, opts), true); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	a.setActive(a.state.active, a.trainable())
	return nil
}

// trainable reports whether an active adapter is trained.
func (a *Adapters) trainable() bool {
	return slices.ContainsFunc(a.layers(), func(l nn.NamedModule) bool {
		layer, ok := l.Module.(*Layer)
		return ok && slices.ContainsFunc(a.state.active, func(name string) bool {
			parts := layer.partsOf(name)
			return len(parts) > 0 && parts[0].Tensor.RequiresGrad()
		})
	})
}

// layers returns the Layers and Saveds of the model.
func (a *Adapters) layers() (out []nn.NamedModule) {
	for _, c := range modulesOf(a.model) {
		switch c.Module.(type) {
		case *Layer, *Saved:
			out = append(out, c)
		}
	}
	return out
}

// adapted is a Layer or a Saved.
type adapted interface {
	nn.Layer
	remove(name string)
	trains(names []string)
}

// place is where an adapter is added.
type place struct {
	path  string
	layer *Layer   // the layer there, or nil
	base  nn.Layer // the layer to wrap otherwise
	rank  int64
	alpha float64
}

// add adds an adapter. If draw is false, its values are arbitrary. If it returns an error,
// the model is unchanged.
func (a *Adapters) add(c config, draw bool) error {
	if _, ok := a.configs[c.name]; ok {
		return fmt.Errorf("%w: there is an adapter %q", torch.ErrValue, c.name)
	}
	if draw && !c.isKnownInit() {
		return fmt.Errorf("%w: init_lora_weights %q; true, false and gaussian are supported", torch.ErrUnsupported,
			c.Init)
	}
	for _, other := range a.configs {
		if other.Bias != string(BiasNone) || c.Bias != string(BiasNone) {
			return fmt.Errorf("%w: bias: a model with several adapters needs none for all of them", torch.ErrValue)
		}
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.isAllLinear() {
		c.Target = pattern{names: allLinear(a.model)}
	}
	places, err := a.places(&c)
	if err != nil {
		return err
	}
	saved := a.savedPlaces(c)
	frozen := a.freeze()
	a.configs[c.name] = c
	a.names = append(a.names, c.name)
	err = torch.Try(func() { a.inject(c, places, saved, draw) })
	if err != nil {
		a.drop(c.name)
		a.shrink()
		for p, on := range frozen {
			p.SetRequiresGrad(on)
		}
	}
	return err
}

// freeze turns off the gradients of the model's own parameters and returns what they were.
func (a *Adapters) freeze() map[*torch.Tensor]bool {
	before := map[*torch.Tensor]bool{}
	for _, p := range a.model.ModuleBase().Parameters() {
		before[p] = p.RequiresGrad()
		if len(a.names) == 0 {
			p.SetRequiresGrad(false)
		}
	}
	return before
}

// places returns where the adapter of a configuration is added.
func (a *Adapters) places(c *config) ([]place, error) {
	m, err := newMatcher(*c)
	if err != nil {
		return nil, err
	}
	var out []place
	for _, n := range modulesOf(a.model) {
		if !m.targets(n.Name) {
			continue
		}
		p := place{path: n.Name, rank: valueOf(m.ranks, n.Name, c.Rank), alpha: valueOf(m.alphas, n.Name, c.Alpha)}
		base := n.Module
		if l, ok := n.Module.(*Layer); ok {
			p.layer, base = l, l.BaseLayer
		}
		if err := check(base, *c, p.rank); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		c.FanInFanOut = kindOf(base) == kindConv1D // as in Python, that of the last layer
		p.base = base.(nn.Layer)
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: target_modules: no layer matches", torch.ErrValue)
	}
	return out, nil
}

// savedPlaces returns the paths of the modules to save.
func (a *Adapters) savedPlaces(c config) (out []nn.NamedModule) {
	for _, n := range modulesOf(a.model) {
		if slices.ContainsFunc(c.ModulesToSave, func(name string) bool { return strings.HasSuffix(n.Name, name) }) {
			out = append(out, n)
		}
	}
	return out
}

// inject wraps layers and adds the adapter to them. It panics if a field of the model cannot
// hold a wrapper.
func (a *Adapters) inject(c config, places []place, saved []nn.NamedModule, draw bool) {
	root := a.model.ModuleBase()
	for _, p := range places {
		if p.layer == nil {
			p.layer = newLayer(p.base, a.state)
			a.wrap(root, p.path, p.layer)
		}
		p.layer.addAdapter(c, p.rank, p.alpha, draw)
	}
	for _, s := range saved {
		w, ok := s.Module.(*Saved)
		if !ok {
			l, ok := s.Module.(nn.Layer)
			if !ok {
				panic(torch.NewError("peft.Add", torch.ErrUnsupported, "modules_to_save",
					fmt.Sprintf("%s is a %s, which has no Forward with one argument", s.Name,
						s.Module.ModuleBase().TypeName())))
			}
			w = newSaved(l, a.state)
			a.wrap(root, s.Name, w)
		}
		w.addCopy(c.name)
	}
}

// wrap replaces a layer with the wrapper that holds it.
func (a *Adapters) wrap(root *nn.Base, path string, w nn.Module) {
	root.SetSubmodule(path, w)
	w.ModuleBase().SetTraining(root.Training())
}

// Names returns the names of the adapters in the order in which they were added.
func (a *Adapters) Names() []string {
	a.mustBeOpen("peft.Adapters.Names")
	return slices.Clone(a.names)
}

// Active returns the names of the active adapters. Follows active_adapters.
func (a *Adapters) Active() []string {
	a.mustBeOpen("peft.Adapters.Active")
	return slices.Clone(a.state.active)
}

// SetActive chooses the adapters that the model uses and trains; their updates are added.
// No name means none. Merged adapters are unmerged first. It panics with ErrIndex for a name
// that no adapter has, and with ErrValue if several of them train copies of one module.
// Follows set_adapter.
func (a *Adapters) SetActive(names ...string) {
	const op = "peft.Adapters.SetActive"
	a.mustBeOpen(op)
	a.mustHave(op, names...)
	for _, n := range a.layers() {
		s, ok := n.Module.(*Saved)
		if !ok {
			continue
		}
		count := 0
		for _, name := range names {
			if s.ModulesToSave.Has(name) {
				count++
			}
		}
		if count > 1 {
			panic(torch.NewError(op, torch.ErrValue, "names",
				fmt.Sprintf("several adapters have a copy of %s", n.Name)))
		}
	}
	a.Unmerge()
	a.setActive(slices.Clone(names), true)
}

// setActive makes adapters active, and trains them if train is true.
func (a *Adapters) setActive(names []string, train bool) {
	a.state.active = slices.Clone(names)
	trained := a.state.active
	if !train {
		trained = nil
	}
	all := a.model.ModuleBase().NamedParameters()
	for _, n := range a.layers() {
		n.Module.(adapted).trains(trained)
	}
	for _, name := range trained {
		switch Bias(a.configs[name].Bias) {
		case BiasAll:
			for _, p := range all {
				if p.Name == "bias" || strings.HasSuffix(p.Name, ".bias") {
					p.Tensor.SetRequiresGrad(true)
				}
			}
		case BiasLoRAOnly:
			for _, n := range a.layers() {
				if l, ok := n.Module.(*Layer); ok && biasOf(l.BaseLayer) != nil {
					biasOf(l.BaseLayer).SetRequiresGrad(true)
				}
			}
		}
	}
}

// Parameters returns the parameters that are trained, for an optimizer.
func (a *Adapters) Parameters() (out []*torch.Tensor) {
	a.mustBeOpen("peft.Adapters.Parameters")
	for _, p := range a.model.ModuleBase().Parameters() {
		if p.RequiresGrad() {
			out = append(out, p)
		}
	}
	return out
}

// Disable runs fn while the model works as without adapters. Merged adapters are unmerged
// and stay so. Follows disable_adapter.
func (a *Adapters) Disable(fn func()) {
	const op = "peft.Adapters.Disable"
	a.mustBeOpen(op)
	if fn == nil {
		panic(torch.NewError(op, torch.ErrNil, "fn", "no function"))
	}
	a.Unmerge()
	before := a.state.disabled
	a.state.disabled = true
	defer func() { a.state.disabled = before }()
	fn()
}

// Delete removes an adapter and frees its memory. If it was the only active one, the first
// of the others becomes active. It panics with ErrIndex for a name that no adapter has.
// Follows delete_adapter.
func (a *Adapters) Delete(name string) {
	const op = "peft.Adapters.Delete"
	a.mustBeOpen(op)
	a.mustHave(op, name)
	a.Unmerge()
	train := a.trainable()
	a.drop(name)
	active := a.state.active
	if len(active) == 0 && len(a.names) > 0 {
		active = a.names[:1]
	}
	a.setActive(active, train)
}

func (a *Adapters) drop(name string) {
	for _, n := range a.layers() {
		n.Module.(adapted).remove(name)
	}
	delete(a.configs, name)
	is := func(n string) bool { return n == name }
	a.names = slices.DeleteFunc(a.names, is)
	a.state.active = slices.DeleteFunc(slices.Clone(a.state.active), is)
}

// shrink unwraps the layers that have no adapters.
func (a *Adapters) shrink() {
	for _, n := range a.layers() {
		switch l := n.Module.(type) {
		case *Layer:
			if len(l.scaling) == 0 {
				a.model.ModuleBase().SetSubmodule(n.Name, l.BaseLayer)
			}
		case *Saved:
			if l.ModulesToSave.Len() == 0 {
				a.model.ModuleBase().SetSubmodule(n.Name, l.OriginalModule)
			}
		}
	}
}

// Merge adds the updates of the active adapters to the weights of the model, which then is
// as fast as without adapters. The error has the kind torch.ErrUnsupported for a weight that
// is quantised or that several layers share, for a convolution with groups, and for an
// adapter with a bias of a layer without one. The model is unchanged after an error.
// [quant.Dequantize] makes weights that Merge accepts. Follows merge_adapter.
func (a *Adapters) Merge() error {
	const op = "peft.Adapters.Merge"
	a.mustBeOpen(op)
	users := map[*torch.Tensor]int{}
	for _, c := range nn.NamedModules(a.model) {
		for _, p := range c.Module.ModuleBase().NamedParameters(nn.Recurse(false)) {
			users[p.Tensor]++
		}
	}
	todo := map[*Layer][]string{}
	var errs []error
	for _, n := range a.layers() {
		l, ok := n.Module.(*Layer)
		if !ok {
			continue
		}
		for _, name := range a.state.active {
			if l.has(name) && !slices.Contains(l.merged, name) {
				todo[l] = append(todo[l], name)
			}
		}
		if len(todo[l]) > 0 {
			if err := l.mergeError(users, todo[l]); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", n.Name, err))
			}
		}
	}
	if len(errs) == 1 {
		return fmt.Errorf("%s: %w", op, errs[0])
	} else if len(errs) > 1 {
		return fmt.Errorf("%s: %w; and %d more layers", op, errs[0], len(errs)-1)
	}
	torch.NoGrad(func() {
		for l := range maps.Keys(todo) {
			for _, name := range todo[l] {
				torch.Scope(func() { l.merge(name) })
			}
		}
	})
	return nil
}

// Unmerge undoes [Adapters.Merge]. The weights may differ from what they were by rounding.
// Follows unmerge_adapter.
func (a *Adapters) Unmerge() {
	a.mustBeOpen("peft.Adapters.Unmerge")
	torch.NoGrad(func() {
		for _, n := range a.layers() {
			if l, ok := n.Module.(*Layer); ok && len(l.merged) > 0 {
				torch.Scope(l.unmerge)
			}
		}
	})
}

// Unload removes all adapters from the model and frees their memory. The model keeps what
// Merge has added to its weights, and the copies of modules that the active adapter has
// trained. Its parameters stay frozen. Follows unload, and after Merge merge_and_unload.
func (a *Adapters) Unload() {
	a.mustBeOpen("peft.Adapters.Unload")
	var unused []*nn.Base
	for _, n := range a.layers() {
		switch l := n.Module.(type) {
		case *Layer:
			for _, name := range a.names {
				l.remove(name)
			}
			a.model.ModuleBase().SetSubmodule(n.Name, l.BaseLayer)
		case *Saved:
			kept := l.current()
			for _, m := range append(l.ModulesToSave.Values(), l.OriginalModule) {
				if m != nn.Module(kept) {
					unused = append(unused, m.ModuleBase())
				}
			}
			a.model.ModuleBase().SetSubmodule(n.Name, kept)
		}
	}
	a.closeUnused(unused)
	a.closed = true
}

// closeUnused closes the tensors of modules that the model does not share with them.
func (a *Adapters) closeUnused(unused []*nn.Base) {
	shared := map[*torch.Tensor]bool{}
	tensors := func(b *nn.Base) []*torch.Tensor { return append(b.Parameters(), b.Buffers()...) }
	for _, t := range tensors(a.model.ModuleBase()) {
		shared[t] = true
	}
	for _, b := range unused {
		for _, t := range tensors(b) {
			if !shared[t] {
				_ = t.Close()
			}
		}
	}
}
