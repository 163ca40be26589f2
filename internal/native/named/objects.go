package named

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Objects are a kind of object that is no tensor and has to be let go of.
type Objects string

// The kinds that are counted here. The blocks of graphs and buckets are in the table of
// blocks, and the kinds that others count already are read where they are.
const (
	CapturedGraphs Objects = "captured graphs"
	Events         Objects = "CUDA events"
	Generators     Objects = "generators"
	Loops          Objects = "loops over loaders"
	Models         Objects = "AOTInductor models"
	ProcessGroups  Objects = "process groups"
	Profiles       Objects = "profiles under way"
	Scripts        Objects = "TorchScript modules"
)

// The kinds that libtorch refers to by number, see package callback.
const (
	Hooks       Objects = "hooks" // unless the object says otherwise
	Functions   Objects = "custom functions"
	Checkpoints Objects = "checkpoints"
	Shared      Objects = "shared memory"
	Collectives Objects = "collectives"
)

// Object is one of a kind, counted until Gone.
type Object struct {
	kind Objects
	line trace.ID
}

// Count is how many objects of a kind a line has made that are not gone.
type Count struct {
	Kind  Objects
	Line  trace.ID
	Count int64
	Bytes int64 // that it takes, of those that MadeOf has made
}

var objects = struct {
	mu    sync.Mutex
	count map[Object]int64
	read  map[Object]func() int64
}{count: map[Object]int64{}, read: map[Object]func() int64{}}

// Made counts an object of a kind, with the line that made it.
func Made(kind Objects) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	return o
}

// MadeOf is Made for an object that grows: bytes returns what it takes. There is one of a
// kind and line at a time.
func MadeOf(kind Objects, bytes func() int64) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	objects.read[o] = bytes
	return o
}

// Gone ends what Made began. Call it once. The zero Object is fine.
func (o Object) Gone() {
	if o.kind == "" {
		return
	}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	if objects.count[o]--; objects.count[o] == 0 {
		delete(objects.count, o)
		delete(objects.read, o)
	}
}

// Counts returns how many objects there are, by kind and line, in that order.
func Counts() []Count {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	out := make([]Count, 0, len(objects.count))
	for o, n := range objects.count {
		c := Count{Kind: o.kind, Line: o.line, Count: n}
		if bytes := objects.read[o]; bytes != nil {
			c.Bytes = bytes()
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Line, b.Line)) })
	return out
}
