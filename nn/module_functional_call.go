package nn

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A FunctionalCallOption is [TieWeights] or [Strict].
type FunctionalCallOption interface{ opt.FunctionalCall }

// TieWeights says whether a tensor for one of several names of a shared parameter
// stands for all of them. The default is true.
type TieWeights = opt.TieWeights

// FunctionalCall runs fn while the module has other parameters and buffers: those
// of params, by their paths. They may be computed from other tensors, so gradients
// flow back through them. Afterwards the module is as it was before, also if fn
// panics; what a forward pass changes in place, such as running statistics, is
// changed in the tensors of params.
//
//	nn.FunctionalCall(model, params, func() { y = model.Forward(x) })
//
// Names that params does not have keep their tensors; with [Strict], whose default
// here is false, they are an error. params stays the caller's.
//
// Goroutines may call FunctionalCall with one module at the same time: they take turns, and
// only the goroutine whose turn it is may use the module. On another one Forward and what lists
// parameters panic with ErrValue while fn runs. DeepCopy makes a module for each goroutine that is to
// run beside others.
//
// It panics with ErrNil for a nil module, function, tensor or option, with ErrClosed for a
// closed tensor, and with ErrValue for names that the module does not have, for a name that
// params has twice, for one shared parameter with several tensors, and within another
// FunctionalCall if a goroutine uses the module. Follows torch.func.functional_call.
func FunctionalCall(m Module, params StateDict, fn func(), opts ...FunctionalCallOption) {
	const op = "FunctionalCall"
	tie, strict := true, false
	for _, o := range opts {
		switch o := o.(type) {
		case TieWeights:
			tie = bool(o)
		case Strict:
			strict = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	b := rooted(op, m)
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	defer b.substitute(op)()
	b.checkTree(op)
	places, owners := map[string]*entry{}, map[string]*Base{}
	var order []string
	b.walkAs(listing{repeats: true}, func(b *Base, at *trail) {
		note := func(entries []entry) {
			for i := range entries {
				if e := &entries[i]; *e.slot != nil {
					name := at.join(e.name)
					places[name], owners[name] = e, b
					order = append(order, name)
				}
			}
		}
		note(b.params)
		note(b.buffers)
	})
	given := map[string]*torch.Tensor{}
	for _, n := range params {
		n.Tensor.HandleFor(fmt.Sprintf("%s(%s)", op, n.Name), 0)
		if places[n.Name] == nil {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("the module has no %q", n.Name)))
		}
		if given[n.Name] != nil {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("%q is there twice", n.Name)))
		}
		given[n.Name] = n.Tensor
	}
	if tie {
		tied(op, order, places, given)
	}
	if missing := lacks(order, NewStateDict(given).Names()); strict && len(missing) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("missing names: [%s]", strings.Join(missing, ", "))))
	}
	type change struct {
		b        *Base
		e        *entry
		old      *torch.Tensor
		borrowed bool
	}
	var done []change
	defer func() {
		for i := len(done) - 1; i >= 0; i-- {
			done[i].b.swap(done[i].e, done[i].old)
			done[i].e.borrowed = done[i].borrowed
		}
	}()
	for _, name := range order {
		if t := given[name]; t != nil && *places[name].slot != t {
			e := places[name]
			done = append(done, change{owners[name], e, *e.slot, e.borrowed})
			owners[name].swap(e, t)
			e.borrowed = true
		}
	}
	fn()
}

// tied gives the other names of a shared tensor what one of them is given.
func tied(op string, order []string, places map[string]*entry, given map[string]*torch.Tensor) {
	groups := map[*torch.Tensor][]string{}
	for _, name := range order {
		groups[*places[name].slot] = append(groups[*places[name].slot], name)
	}
	for _, names := range groups {
		var t *torch.Tensor
		for _, name := range names {
			switch g := given[name]; {
			case g == nil || g == t:
			case t != nil:
				panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("%s are one parameter and have several tensors", strings.Join(names, ", "))))
			default:
				t = g
			}
		}
		if t != nil {
			for _, name := range names {
				given[name] = t
			}
		}
	}
}
