package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
)

// ObjectKind is a kind of object, other than a tensor, that takes native memory.
type ObjectKind string

// The kinds.
const (
	GraphNodes      ObjectKind = "graph nodes"      // nodes of autograd graphs, except those of leaves
	Hooks           ObjectKind = "hooks"            // hooks of tensors
	CustomFunctions ObjectKind = "custom functions" // calls of a torch.Function that a graph holds
	Checkpoints     ObjectKind = "checkpoints"      // calls of recompute.Checkpoint that a graph holds
	// Memory of Go, of files or of other libraries that tensors use.
	SharedMemory   ObjectKind = "shared memory"
	Collectives    ObjectKind = "collectives"         // running collectives, and hooks of a Reducer
	ProcessGroups  ObjectKind = "process groups"      // not closed
	LoaderLoops    ObjectKind = "loops over loaders"  // loops that are not finished; they hold workers and batches
	ScriptModules  ObjectKind = "TorchScript modules" // not closed
	Programs       ObjectKind = "exported programs"   // not closed
	AOTModels      ObjectKind = "AOTInductor models"  // not closed
	CapturedGraphs ObjectKind = "captured graphs"     // graphs that are not closed; their memory counts as allocated
	CUDAEvents     ObjectKind = "CUDA events"         // recorded events
	Generators     ObjectKind = "generators"          // random number generators
	Profiles       ObjectKind = "profiles under way"  // running profiles, which grow with each operator
	RecordedEvents ObjectKind = objects.History       // events of RecordHistory
)

// ObjectGroup is the set of objects of one kind that one line created.
type ObjectGroup struct {
	Kind  ObjectKind
	Count int64
	// Bytes is the size of the objects, without the tensors that they hold. It is 0 if
	// unknown.
	Bytes int64
	Exact bool // whether Bytes is exact, not an estimate
	// Line is the line that created the objects, "" if unknown. For graph nodes it is the
	// line that created the newest listed tensor (see TrackTensors) that leads to them.
	// The lines of hooks and other callbacks are known only while TrackTensors or a leak
	// check is on.
	Line string
}

// String returns the group as one line for a report.
func (g ObjectGroup) String() string {
	text := fmt.Sprintf("%d %s", g.Count, g.Kind)
	if size := sizeOf(g.Bytes, g.Exact); size != "" {
		text += ", " + size
	}
	if g.Line != "" {
		text += ": " + g.Line
	}
	return text
}

// sizeOf formats a number of bytes. It returns "" for 0.
func sizeOf(bytes int64, exact bool) string {
	switch {
	case bytes == 0:
		return ""
	case exact:
		return units.Size(bytes)
	}
	return "about " + units.Size(bytes)
}

// Objects lists the objects other than tensors that hold native memory, by kind and line.
// The kinds with the most bytes come first. Kinds without objects are left out. Garbage is
// included; call [Collect] first to exclude it. All graph nodes are counted on Linux with
// libtorch 2.11. Elsewhere only the graphs of listed tensors are counted, see
// [TrackTensors].
//
// Objects does not count the C++ objects of other libraries, nor oneDNN's cache, which is
// bounded (see [Clear]).
//
// Objects walks the graphs of all listed tensors. No backward pass may run through them at
// the same time, and no operator may change the tensors in place. [Summary] and [Report]
// do not walk graphs.
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
