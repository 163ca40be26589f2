package named

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Objects is a kind of object, other than a tensor, that must be released.
type Objects string

// The kinds counted here. The table of blocks contains the blocks of graphs and buckets.
// Other packages count further kinds, and package memory asks those packages.
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

// The kinds of objects that libtorch refers to by number; see package callback.
const (
	Hooks       Objects = "hooks" // the default kind of an object
	Functions   Objects = "custom functions"
	Checkpoints Objects = "checkpoints"
	Shared      Objects = "shared memory"
	Collectives Objects = "collectives"
)

// Object is an object that is counted until Gone is called.
type Object struct {
	kind Objects
	line trace.ID
}

// Count is the number of objects of a kind that a line created and that have not ended.
type Count struct {
	Kind  Objects
	Line  trace.ID
	Count int64
	Bytes int64 // the size of the objects created by MadeOf
}

var objects = struct {
	mu    sync.Mutex
	count map[Object]int64
	read  map[Object]func() int64
}{count: map[Object]int64{}, read: map[Object]func() int64{}}

// Made counts an object of a kind, with the line that created it.
func Made(kind Objects) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	return o
}

// MadeOf is Made for an object that grows. bytes returns its size. Only one object of a
// kind and line may exist at a time.
func MadeOf(kind Objects, bytes func() int64) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	objects.read[o] = bytes
	return o
}

// Gone ends the count of an object. Call it once. The zero Object has no effect.
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

// Counts returns the number of objects by kind and line, in that order.
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
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Line, b.Line))
	})
	return out
}
