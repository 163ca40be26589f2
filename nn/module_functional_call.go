package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A FunctionalCallOption is [TieWeights] or [Strict].
type FunctionalCallOption interface{ opt.FunctionalCall }

// TieWeights says whether a tensor given for one name of a shared parameter replaces
// it under all its names. The default is true.
type TieWeights = opt.TieWeights

// FunctionalCall runs fn while the module uses the parameters and buffers in params,
// given by path. They may be computed from other tensors, so gradients flow back through
// them. Afterwards the module is as before, even if fn panics. In-place changes in the
// forward pass, such as updates of running statistics, change the tensors in params.
//
//	nn.FunctionalCall(model, params, func() { y = model.Forward(x) })
//
// Names missing from params keep their tensors. With [Strict] they are an error; its
// default here is false. The caller keeps ownership of params.
//
// Goroutines that call FunctionalCall with the same module run one after the other. While
// fn runs, only its goroutine may use the module: on other goroutines, Forward and
// methods that list parameters panic with ErrValue. To run several calls at the same
// time, give each goroutine its own DeepCopy.
//
// It panics with ErrNil for a nil module, function, tensor or option, and with ErrClosed
// for a closed tensor. It panics with ErrValue for unknown or duplicate names, for
// several tensors for one shared parameter, and inside another FunctionalCall if another
// goroutine uses the module. Follows torch.func.functional_call.
func FunctionalCall(m Module, params StateDict, fn func(), opts ...FunctionalCallOption) {
	const op = "FunctionalCall"
	tie, strict := opt.Read2(op, opts, TieWeights(true), Strict(false))
	b := mustBeRoot(op, m)
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	defer b.takeTurn(op)()
	b.mustAllBeReady(op)
	l := b.allTensors()
	given := l.readReplacements(op, params)
	if tie {
		l.tieTensors(op, given)
	}
	if missing := missingFrom(l.names, NewStateDict(given).Names()); strict && len(missing) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "params",
			fmt.Sprintf("missing names: [%s]", strings.Join(missing, ", "))))
	}
	restore := l.replace(given)
	defer restore()
	fn()
}

// namedEntries are the parameters and buffers of a tree under each of their names.
type namedEntries struct {
	names   []string
	entries map[string]*entry
	owners  map[string]*Base
}

func (b *Base) allTensors() *namedEntries {
	l := &namedEntries{entries: map[string]*entry{}, owners: map[string]*Base{}}
	b.walkAs(listing{repeats: true}, func(b *Base, at *trail) {
		add := func(entries []entry) {
			for i := range entries {
				if e := &entries[i]; *e.slot != nil {
					name := at.join(e.name)
					l.entries[name], l.owners[name] = e, b
					l.names = append(l.names, name)
				}
			}
		}
		add(b.params)
		add(b.buffers)
	})
	return l
}

// readReplacements returns the replacements by name. It panics for a name that the
// module lacks or that occurs twice.
func (l *namedEntries) readReplacements(op string, params StateDict) map[string]*torch.Tensor {
	given := map[string]*torch.Tensor{}
	for _, n := range params {
		n.Tensor.HandleFor(fmt.Sprintf("%s(%s)", op, n.Name), 0)
		if l.entries[n.Name] == nil {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("the module has no parameter or buffer %q",
				n.Name)))
		}
		if given[n.Name] != nil {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("%q occurs twice", n.Name)))
		}
		given[n.Name] = n.Tensor
	}
	return given
}

// replace puts the replacements into the module and returns a function that restores
// the old tensors.
func (l *namedEntries) replace(given map[string]*torch.Tensor) (restore func()) {
	type change struct {
		b        *Base
		e        *entry
		old      *torch.Tensor
		borrowed bool
	}
	var changes []change
	for _, name := range l.names {
		if t, e := given[name], l.entries[name]; t != nil && *e.slot != t {
			changes = append(changes, change{l.owners[name], e, *e.slot, e.borrowed})
			l.owners[name].swapEntry(e, t)
			e.borrowed = true
		}
	}
	return func() {
		for _, c := range slices.Backward(changes) {
			c.b.swapEntry(c.e, c.old)
			c.e.borrowed = c.borrowed
		}
	}
}

// tieTensors gives all names of a shared tensor the replacement given for one of them.
func (l *namedEntries) tieTensors(op string, given map[string]*torch.Tensor) {
	groups := map[*torch.Tensor][]string{}
	for _, name := range l.names {
		t := *l.entries[name].slot
		groups[t] = append(groups[t], name)
	}
	for _, names := range groups {
		var t *torch.Tensor
		for _, name := range names {
			switch g := given[name]; {
			case g == nil || g == t:
			case t != nil:
				panic(torch.NewError(op, torch.ErrValue, "params",
					fmt.Sprintf("%s are names of the same parameter, but have different tensors", strings.Join(names,
						", "))))
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
