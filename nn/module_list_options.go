package nn

import (
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A ListOption says which tensors to list: [Prefix], [Recurse], [RemoveDuplicate].
//
//gotorch:options Prefix Recurse RemoveDuplicate
type ListOption interface{ listOption() }

// A ModuleListOption says which modules to list, as for [NamedModules]: [Prefix],
// [RemoveDuplicate].
//
//gotorch:options Prefix RemoveDuplicate
type ModuleListOption interface{ moduleListOption() }

// A RecurseOption is [Recurse].
//
//gotorch:options Recurse
type RecurseOption interface{ recurseOption() }

// Prefix is put before the names, followed by a dot. The default is "", without a
// dot.
type Prefix string

// Recurse says whether to include the modules below. The default is true.
type Recurse bool

// RemoveDuplicate says whether a shared tensor or module is listed only once. If
// false, it is listed under each of its names. The default is true.
type RemoveDuplicate bool

// listing holds parsed ListOptions and ModuleListOptions.
type listing struct {
	registered    bool // only what is registered, without reading the fields
	prefix        string
	flat, repeats bool
}

func readListing(op string, opts []ListOption) listing {
	prefix, recurse, once := opt.Read3(op, opts, Prefix(""), Recurse(true), RemoveDuplicate(true))
	return listing{prefix: string(prefix), flat: !bool(recurse), repeats: !bool(once)}
}

func readModuleListing(op string, opts []ModuleListOption) listing {
	prefix, once := opt.Read2(op, opts, Prefix(""), RemoveDuplicate(true))
	return listing{prefix: string(prefix), repeats: !bool(once)}
}

func readRecurse(op string, opts []RecurseOption) (l listing) {
	for _, o := range opts {
		on, ok := o.(Recurse)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		l.flat = !bool(on)
	}
	return l
}

// walkAs calls fn for the modules to list, parents first.
func (b *Base) walkAs(l listing, fn func(m *Base, at *trail)) {
	seen := map[*Base]bool{}
	var visit func(b *Base, at *trail)
	visit = func(b *Base, at *trail) {
		if seen[b] {
			return
		}
		seen[b] = !l.repeats
		if !l.registered {
			b.registerFields()
		}
		fn(b, at)
		if l.flat {
			return
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), &trail{at, c.Name})
		}
	}
	visit(b, &trail{nil, l.prefix})
}

// trail is the path to a module. It is only written out when needed, because all the
// paths of a deep tree take much more memory than the tree.
type trail struct {
	above *trail
	name  string
}

// join returns the path of the module's tensor with that name.
func (t *trail) join(name string) string {
	var up []string
	for ; t != nil; t = t.above {
		if t.name != "" {
			up = append(up, t.name)
		}
	}
	slices.Reverse(up)
	return strings.Join(append(up, name), ".")
}
