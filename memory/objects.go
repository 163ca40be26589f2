package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
)

// ObjectKind is a kind of object that takes memory and is no tensor.
type ObjectKind string

// The kinds.
const (
	GraphNodes      ObjectKind = "graph nodes"         // of autograd graphs, without those of leaves
	Hooks           ObjectKind = "hooks"               // of tensors
	CustomFunctions ObjectKind = "custom functions"    // calls of a torch.Function that a graph holds
	Checkpoints     ObjectKind = "checkpoints"         // calls of recompute.Checkpoint that a graph holds
	SharedMemory    ObjectKind = "shared memory"       // Go's, a file's or another library's that tensors look at
	Collectives     ObjectKind = "collectives"         // under way, and hooks of a Reducer
	ProcessGroups   ObjectKind = "process groups"      // not closed
	LoaderLoops     ObjectKind = "loops over loaders"  // not ended: they keep workers and batches
	ScriptModules   ObjectKind = "TorchScript modules" // not closed
	AOTModels       ObjectKind = "AOTInductor models"  // not closed
	CapturedGraphs  ObjectKind = "captured graphs"     // not closed; their memory is allocated
	CUDAEvents      ObjectKind = "CUDA events"         // that were recorded
	Generators      ObjectKind = "generators"          // of random numbers
	Profiles        ObjectKind = "profiles under way"  // they grow with each operator
	RecordedEvents  ObjectKind = objects.History       // of RecordHistory
)

// ObjectGroup is the objects of one kind that one line has made.
type ObjectGroup struct {
	Kind  ObjectKind
	Count int64
	Bytes int64 // beside tensors, 0 if nobody knows
	Exact bool  // Bytes is no estimate
	// Line is the line that made the objects, "" if nobody knows. For graph nodes it is the
	// line that made the newest tensor on the list of TrackTensors that leads to them. The
	// lines of hooks and other callbacks are known while TrackTensors or a leak check is on.
	Line string
}

// String is one line for a report.
func (g ObjectGroup) String() string {
	text := fmt.Sprintf("%d %s", g.Count, g.Kind)
	switch {
	case g.Bytes != 0 && g.Exact:
		text += ", " + units.Size(g.Bytes)
	case g.Bytes != 0:
		text += ", about " + units.Size(g.Bytes)
	}
	if g.Line != "" {
		text += ": " + g.Line
	}
	return text
}

// Objects lists what the process holds that is no tensor, by kind and line; the kinds with
// the most bytes come first. Kinds of which there is nothing are left out. Garbage is
// included; call Collect first if that matters. Graph nodes are counted on Linux with
// libtorch 2.11; elsewhere only those behind tensors that TrackTensors lists are.
//
// Two things have no count: the C++ objects of other libraries, and oneDNN's cache, which is
// bounded (see [Clear]).
//
// It walks the graphs of all listed tensors. No backward pass may run through them, and no
// operator change the tensors in place, at the same time. [Summary] and [Report] walk none.
func Objects() []ObjectGroup {
	return objectGroups(objects.List(func(*live.Entry) bool { return true }))
}

func objectGroups(groups []objects.Group) []ObjectGroup {
	var out []ObjectGroup
	for _, g := range groups {
		out = append(out, ObjectGroup{ObjectKind(g.Kind), g.Count, g.Bytes, g.Exact, g.Line})
	}
	return out
}
