package parallel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// collectParameters lists the parameters in Python's order.
func (d *DistributedDataParallel) collectParameters() error {
	seen := map[*torch.Tensor]bool{}
	kinds := map[string]bool{}
	for _, m := range nn.NamedModules(d.Module) {
		sparse := hasSparseGradients(m.Module)
		for _, p := range m.Module.NamedParameters(nn.Recurse(false)) {
			name := p.Name
			if m.Name != "" {
				name = m.Name + "." + name
			}
			if seen[p.Tensor] || slices.Contains(d.settings.ignore, name) {
				continue
			}
			seen[p.Tensor] = true
			d.states = append(d.states, stateOf(name, p.Tensor))
			d.settings.All = append(d.settings.All, p.Tensor)
			d.settings.AllNames = append(d.settings.AllNames, name)
			kinds[p.Tensor.Device().Type()] = true
			if !p.Tensor.RequiresGrad() {
				continue
			}
			d.params = append(d.params, p.Tensor)
			d.settings.Names = append(d.settings.Names, name)
			d.settings.Sparse = append(d.settings.Sparse, sparse)
		}
	}
	switch {
	case len(d.params) == 0:
		return torch.NewError(opDDP, torch.ErrValue, "module",
			"has no parameter that requires a gradient, so there is nothing to average")
	case len(kinds) > 1:
		return torch.NewError(opDDP, torch.ErrDevice, "module", "has parameters on several types of devices")
	}
	d.settings.Buffers = d.syncedBuffers()
	return d.checkIgnored()
}

// hasSparseGradients reports whether the parameters of a layer get sparse gradients.
func hasSparseGradients(m nn.Module) bool {
	if l, ok := embedded.Find[*nn.Embedding](m); ok {
		return l.Sparse
	}
	l, ok := embedded.Find[*nn.EmbeddingBag](m)
	return ok && l.Sparse
}

// checkIgnored returns an error if Ignore contains an unknown name, or only one of two
// names of a tensor. In either case ignoring would have no effect.
func (d *DistributedDataParallel) checkIgnored() error {
	names := slices.Concat(d.Module.NamedParameters(), d.Module.ModuleBase().NamedBuffers())
	all := slices.Concat(d.Module.NamedParameters(nn.RemoveDuplicate(false)),
		d.Module.ModuleBase().NamedBuffers(nn.RemoveDuplicate(false)))
	for _, name := range d.settings.ignore {
		i := slices.IndexFunc(all, func(t nn.NamedTensor) bool { return t.Name == name })
		if i < 0 {
			return torch.NewError(opDDP, torch.ErrValue, "Ignore",
				fmt.Sprintf("the module has no parameter or buffer %q; it has %s", name, listNames(names)))
		}
		if other := d.syncedName(all[i].Tensor, names); other != "" {
			return torch.NewError(opDDP, torch.ErrValue, "Ignore",
				fmt.Sprintf("%s is the same tensor as %s; name both", name, other))
		}
	}
	return nil
}

// syncedName returns the name of a tensor that is averaged or copied. It returns "" for any other
// tensor.
func (d *DistributedDataParallel) syncedName(t *torch.Tensor, names []nn.NamedTensor) string {
	for _, p := range d.states {
		if p.tensor == t {
			return p.name
		}
	}
	if slices.Contains(d.settings.Buffers, t) {
		return names[slices.IndexFunc(names, func(n nn.NamedTensor) bool { return n.Tensor == t })].Name
	}
	return ""
}

// listNames lists the names, or the first ones of a large module.
func listNames(names []nn.NamedTensor) string {
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

// parameterState is the state that a parameter had when the reducer added its hooks to it.
type parameterState struct {
	name         string
	tensor       *torch.Tensor
	dtype        torch.DType
	device       torch.Device
	requiresGrad bool
}

func stateOf(name string, t *torch.Tensor) parameterState {
	return parameterState{name, t, t.DType(), t.Device(), t.RequiresGrad()}
}

// checkUnchanged returns an error if parameters of the module were replaced, because their
// gradients would silently not be averaged.
func (d *DistributedDataParallel) checkUnchanged() error {
	i := 0
	for _, t := range d.Module.Parameters() {
		switch {
		case i < len(d.states) && stateOf(d.states[i].name, t) == d.states[i]:
			i++
		case d.isIgnored(t):
		case i < len(d.states):
			return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", d.states[i].name+changedMessage)
		default:
			return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", "a parameter"+changedMessage)
		}
	}
	if i < len(d.states) {
		return torch.NewError(opDDP+".Forward", torch.ErrValue, "module", d.states[i].name+changedMessage)
	}
	return nil
}

const changedMessage = " was replaced or converted after the module was wrapped; convert it before, or wrap it again"

// isIgnored reports whether t is a parameter that Ignore names.
func (d *DistributedDataParallel) isIgnored(t *torch.Tensor) bool {
	return len(d.settings.ignore) > 0 && slices.ContainsFunc(d.Module.NamedParameters(), func(p nn.NamedTensor) bool {
		return p.Tensor == t && slices.Contains(d.settings.ignore, p.Name)
	})
}

// syncedBuffers returns the buffers that each Forward copies. It looks them up each time, because a
// program may replace buffers.
func (d *DistributedDataParallel) syncedBuffers() []*torch.Tensor {
	if !d.settings.buffers {
		return nil
	}
	var ts []*torch.Tensor
	for _, b := range d.Module.ModuleBase().NamedBuffers() {
		if !slices.Contains(d.settings.ignore, b.Name) {
			ts = append(ts, b.Tensor)
		}
	}
	return ts
}
