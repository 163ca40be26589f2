package pacer

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// The memory of a tensor besides its elements: resident bytes on x86-64 with libtorch
// 2.11, measured with 400,000 objects of each kind. A sum of two scalars took 543 bytes,
// a view 331, a sum with a graph node 1,405, and a hook on that sum 431 more. The
// constants are 1.5 times as large, because malloc has a heap per thread, and memory
// freed by threads that run no operators stays resident. In programs with many small
// tensors this is most of the memory.
const (
	// HandleBytes is the size of a Tensor owned by the garbage collector: the Go object,
	// its cleanup and libtorch's TensorImpl.
	HandleBytes = 500
	// BlockBytes is the memory that a block of the allocator takes in addition to the
	// requested bytes: libtorch's StorageImpl and rounding.
	BlockBytes = 320
	// NodeBytes is the size of a graph node, with its reference to a tensor.
	NodeBytes = 1290
	// CallbackBytes is the size of a hook or function in Go.
	CallbackBytes = 650
)

var (
	counts = func() (handles, callbacks int64) { return 0, 0 }
	told   = func() {}
)

// SetCounts sets two functions. number returns how many Tensors and callbacks are open.
// Recount calls recounted, so that the next Recount is due only after a few hundred more
// Tensors.
func SetCounts(number func() (handles, callbacks int64), recounted func()) {
	counts, told = number, recounted
}

// atCollection is the state after the last collection.
var atCollection struct {
	nodes   atomic.Uint64 // the number of nodes created so far
	tensors atomic.Int64  // the number of handles and blocks
}

func init() { mem.CPU.BlockCost.Store(BlockBytes) }

// overhead returns the bytes of handles, nodes and callbacks. The number of freed nodes
// is unknown, and nodes that live tensors need are no reason to collect. So overhead
// counts the nodes created since the last collection, limited to the number of handles
// and blocks added since then. This works because the result of a garbage node still
// exists: as a handle, or as a block that the graph keeps.
func overhead() int64 {
	handles, callbacks := counts()
	sum := handles*HandleBytes + callbacks*CallbackBytes
	if nodes := int64(cgotorch.NodeNumbers() - atCollection.nodes.Load()); nodes > 0 {
		more := handles + mem.CPU.Blocks.Load() - atCollection.tensors.Load()
		sum += min(nodes, max(more, 0)) * NodeBytes
	}
	return sum
}

// noteCollection makes overhead count only the nodes created after this call.
func noteCollection() {
	atCollection.nodes.Store(cgotorch.NodeNumbers())
	handles, _ := counts()
	atCollection.tensors.Store(handles + mem.CPU.Blocks.Load())
}

// charged returns the native memory that counts toward the threshold.
func charged() int64 { return blocks() + overhead() }

// beside returns the part of charged that is not in blocks of the allocator.
func beside() int64 { return charged() - mem.CPU.LiveBytes.Load() }

// If a collection frees more than trimAbove bytes outside of tensor blocks, malloc is
// trimmed afterwards. Otherwise each thread's heap would keep the pages of its peak.
// Because goroutines move between threads, many heaps would reach such a peak.
const trimAbove = 16 << 20

func blocks() int64 { return mem.CPU.LiveBytes.Load() + mem.CPU.Blocks.Load()*BlockBytes }

// Recount computes the overhead. The allocator uses the result until the next Recount. If
// native memory is already above the threshold, Recount raises the flag.
func Recount() {
	told()
	if hasLimit.Load() {
		arm() // Go's heap may have grown, which leaves less room
	}
	o := overhead()
	mem.CPU.Overhead.Store(o)
	if blocks()+o > mem.CPU.Threshold.Load() {
		mem.CPU.Pressure.Store(1)
	}
}
