package parametrize

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Transfer registers the parametrizations of the first module in the second module. Both
// modules then share the parametrizations and the originals, so close only one of the
// modules. Without names, it transfers all parametrized tensors. If the second module
// lacks a tensor, Transfer adds it. It panics with ErrNil for a nil module, with ErrValue
// for a name that is not parametrized, and as [Register] does. Follows
// torch.nn.utils.parametrize.transfer_parametrizations_and_params.
func Transfer(from, to nn.Module, names ...string) {
	const op = "Transfer"
	source, target := mustHaveBase(op, "from", from), mustHaveBase(op, "to", to)
	if d, ok := source.Get("parametrizations").(*nn.ModuleDict); ok && len(names) == 0 {
		names = d.Keys()
	}
	for _, name := range names {
		if listOf(from, name) == nil {
			panic(torch.NewError(op, torch.ErrValue, "names", fmt.Sprintf("%q is not parametrized", name)))
		}
	}
	for _, name := range names {
		l := listOf(from, name)
		if target.GetParameter(name) == nil && target.GetBuffer(name) == nil && !target.IsDerived(name) {
			torch.NoGrad(func() {
				torch.Scope(func() { target.RegisterParameter(name, source.Derived(name).Clone()) })
			})
		}
		for i := range l.Len() {
			Register(to, name, l.At(i))
		}
		twin := listOf(to, name)
		for i, t := range l.Originals() {
			path := "original"
			if l.count > 0 {
				path = fmt.Sprintf("original%d", i)
			}
			old := twin.original(path)
			if old == t {
				continue
			}
			grad := t.RequiresGrad()
			twin.registerOriginal(path, t, l.GetParameter(path) != nil, grad)
			_ = old.Close()
		}
	}
}
