// Package objects lists the objects other than tensors that hold native memory: graph
// nodes, hooks, and the objects counted by internal/native/named and
// internal/native/callback.
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

// Group is the set of objects of one kind that one line created; see memory.ObjectGroup.
type Group struct {
	Kind  string
	Count int64
	Bytes int64
	Exact bool
	Line  string
}

// The kinds of objects that this package itself counts.
const (
	Nodes   = "graph nodes"
	History = "recorded events"
)

// Bytes per object, where known. Generators: the size of their state. Other kinds: resident
// bytes, measured with 400,000 objects on x86-64 with libtorch 2.11.
const (
	NodeBytes      = 862
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

// List returns all objects by kind and line. A graph node is listed under the line that
// created the tensor that holds the node. Only listed tensors for which want returns true
// count. While List runs, nothing may change these tensors or run a backward pass through
// their graphs.
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

// Counts returns the number of graph nodes, or -1 if it is unknown, and the number of all
// other objects except recorded events.
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

// Kinds returns all objects by kind. It reads no graphs, so graph nodes have no lines.
func Kinds() []Group { return OfKind(List(func(*live.Entry) bool { return false })) }

// nodes counts graph nodes by the line that created the tensor holding them.
func nodes(want func(*live.Entry) bool) []Group {
	all, known := cgotorch.LiveNodes()
	var out []Group
	for line, n := range holders(want) {
		out = append(out, Group{Kind: Nodes, Count: n, Bytes: n * NodeBytes, Line: line})
		all -= n
	}
	if known && all > 0 {
		out = append(out, Group{Kind: Nodes, Count: all, Bytes: all * NodeBytes})
	}
	return out
}

// holders returns how many nodes the tensors of each line hold. If several of the wanted
// tensors lead to a node, the newest of them counts as its holder.
func holders(want func(*live.Entry) bool) map[string]int64 {
	type holder struct {
		id     uint64
		handle abi.Tensor
		line   string
	}
	var hs []holder
	live.Each(func(e *live.Entry) {
		if want(e) && cgotorch.TensorInfo(e.Handle).HasGradFn {
			hs = append(hs, holder{e.ID, cgotorch.Ref(e.Handle), lines.Of(e.Site)}) // keeps the tensor valid
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
		cgotorch.FreeStatus(st) // not enough memory
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

// tidy merges groups with the same kind and line, and sorts the kinds by bytes.
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

// Grown returns the groups that grew from before to after. Their counts and bytes are the
// growth.
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

// OfKind merges the groups of each kind and keeps the order of the kinds.
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
