// Package objects lists what a process holds that is no tensor: nodes of graphs, hooks,
// and whatever packages named and callback count.
package objects

import (
	"cmp"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/graph"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/memory/internal/lines"
)

// Group is the objects of a kind that one line has made, see memory.ObjectGroup.
type Group struct {
	Kind  string
	Count int64
	Bytes int64
	Exact bool
	Line  string
}

// The kinds that are counted here.
const (
	Nodes   = "graph nodes"
	History = "recorded events"
)

// Bytes of an object, where it is known: resident bytes on x86-64 with libtorch 2.11,
// measured by keeping 400,000 of a kind, and a generator's state.
const (
	nodeBytes      = 862
	callbackBytes  = 431
	generatorBytes = 5056
)

func bytesOf(kind named.Objects) int64 {
	switch kind {
	case named.Hooks, named.Functions, named.Checkpoints, named.Shared:
		return callbackBytes
	case named.Generators:
		return generatorBytes
	}
	return 0
}

// List returns what there is, by kind and line. Nodes are listed by the line that made the
// tensor that holds them, for the tensors that live has and that want says yes to. Nobody
// changes these or runs backward through their graphs meanwhile.
func List(want func(*live.Entry) bool) []Group {
	out := nodes(want)
	if n, bytes := mem.CPUHistoryEvents(); n > 0 {
		out = append(out, Group{Kind: History, Count: n, Bytes: bytes, Exact: true})
	}
	for _, c := range append(named.Counts(), callback.Counts()...) {
		g := Group{Kind: string(c.Kind), Count: c.Count, Bytes: c.Count * bytesOf(c.Kind)}
		if c.Bytes != 0 {
			g.Bytes, g.Exact = c.Bytes, true
		}
		if c.Line != 0 {
			g.Line = lines.Of(c.Line)
		}
		out = append(out, g)
	}
	return tidy(out)
}

// Counts returns how many nodes there are, -1 if that is not known, and how many objects of
// the other kinds that no one asked to grow.
func Counts() (nodes, others int64) {
	nodes = -1
	if n, known := cgotorch.LiveNodes(); known {
		nodes = n
	}
	for _, c := range named.Counts() {
		others += c.Count
	}
	return nodes, others + callback.Count()
}

// Kinds returns what there is by kind. It walks no graph.
func Kinds() []Group { return OfKind(List(func(*live.Entry) bool { return false })) }

// nodes counts those of graphs, by who holds them.
func nodes(want func(*live.Entry) bool) []Group {
	all, known := cgotorch.LiveNodes()
	var out []Group
	for line, n := range holders(want) {
		out = append(out, Group{Kind: Nodes, Count: n, Bytes: n * nodeBytes, Line: line})
		all -= n
	}
	if known && all > 0 {
		out = append(out, Group{Kind: Nodes, Count: all, Bytes: all * nodeBytes})
	}
	return out
}

// holders returns how many nodes the newest of the wanted tensors hold that lead to them, by
// the lines that made these.
func holders(want func(*live.Entry) bool) map[string]int64 {
	type holder struct {
		id     uint64
		handle abi.Tensor
		line   string
	}
	var hs []holder
	live.Each(func(e *live.Entry) {
		if want(e) && cgotorch.TensorInfo(e.Handle).HasGradFn {
			hs = append(hs, holder{e.ID, cgotorch.Ref(e.Handle), lines.Of(e.Site)}) // valid beyond the list's lock
		}
	})
	slices.SortFunc(hs, func(a, b holder) int { return cmp.Compare(b.id, a.id) })
	handles := make([]abi.Tensor, len(hs))
	for i, h := range hs {
		handles[i] = h.handle
	}
	defer cgotorch.FreeMany(handles)
	shares, st := graph.Shares(handles)
	if st != 0 {
		cgotorch.FreeStatus(st) // there is no memory for it
		return nil
	}
	sums := map[string]int64{}
	for i, n := range shares {
		if n > 0 {
			sums[hs[i].line] += n
		}
	}
	return sums
}

// tidy adds up groups of one kind and line, and puts kinds in the order of their bytes.
func tidy(groups []Group) []Group {
	type key struct{ kind, line string }
	at := map[key]int{}
	total := map[string]int64{}
	var out []Group
	for _, g := range groups {
		total[g.Kind] += g.Bytes
		k := key{g.Kind, g.Line}
		if i, ok := at[k]; ok {
			out[i].Count += g.Count
			out[i].Bytes += g.Bytes
			continue
		}
		at[k] = len(out)
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(total[b.Kind], total[a.Kind]), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// Grown returns by how much groups have grown, without those that have not.
func Grown(before, after []Group) []Group {
	old := map[Group]Group{}
	for _, g := range before {
		old[Group{Kind: g.Kind, Line: g.Line}] = g
	}
	var out []Group
	for _, g := range after {
		b := old[Group{Kind: g.Kind, Line: g.Line}]
		g.Count -= b.Count
		g.Bytes -= b.Bytes
		if g.Count > 0 || g.Count == 0 && g.Bytes > 0 {
			out = append(out, g)
		}
	}
	return out
}

// OfKind sums a list by kind, in its order.
func OfKind(groups []Group) []Group {
	var out []Group
	for _, g := range groups {
		i := slices.IndexFunc(out, func(o Group) bool { return o.Kind == g.Kind })
		if i < 0 {
			out = append(out, Group{Kind: g.Kind, Exact: g.Exact})
			i = len(out) - 1
		}
		out[i].Count += g.Count
		out[i].Bytes += g.Bytes
		out[i].Exact = out[i].Exact && g.Exact
	}
	return out
}
