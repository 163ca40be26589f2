package named

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Objects is a kind of object, other than a tensor, that must be released.
type Objects string

// The kinds of objects that this package counts. The memory of captured graphs and of
// gradient buckets is recorded with [Add]. Package memory asks other packages for the
// kinds that they count.
const (
	CapturedGraphs Objects = "captured graphs"
	Events         Objects = "CUDA events"
	Generators     Objects = "generators"
	Loops          Objects = "loops over loaders"
	Models         Objects = "AOTInductor models"
	ProcessGroups  Objects = "process groups"
	Profiles       Objects = "profiles under way"
	Programs       Objects = "exported programs"
	Scripts        Objects = "TorchScript modules"
)

// The kinds that package callback counts: objects that libtorch refers to by number.
const (
	Hooks       Objects = "hooks" // the kind of objects registered with callback.Register
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

// Count is the number of objects of one kind that were created at one line of the program
// and still exist.
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

// Made counts a new object of the given kind under the program line that created it.
func Made(kind Objects) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	return o
}

// MadeOf is like Made, for an object that grows. bytes returns its size. At most one
// object of a given kind, created at a given line, may exist at a time.
func MadeOf(kind Objects, bytes func() int64) Object {
	o := Object{kind, trace.Capture(1)}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.count[o]++
	objects.read[o] = bytes
	return o
}

// Gone stops counting an object. Call it once, when the object is released. For the zero
// Object it does nothing.
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

// Counts returns the number of objects for each kind and line, sorted by kind and then by
// line.
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
