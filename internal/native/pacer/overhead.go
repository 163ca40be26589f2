package pacer

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// What a tensor costs beside its elements: resident bytes on x86-64 with libtorch
// 2.11, measured by keeping 400,000 of a kind. A sum of two scalars took 543 bytes,
// a view 331, a sum with a node in the graph 1,405, and a hook on it 431 more. The
// constants are half as much again: malloc has a heap for each thread, and what garbage
// left in those where no operator runs now stays resident. Programs with many small
// tensors consist of nothing else.
const (
	// HandleBytes is a Tensor that the collector owns: the Go object, its cleanup
	// and libtorch's TensorImpl.
	HandleBytes = 500
	// BlockBytes is a block of the allocator beyond the bytes requested: libtorch's
	// StorageImpl and what rounding adds.
	BlockBytes = 320
	// NodeBytes is a node of the graph with a tensor's place in it.
	NodeBytes = 1290
	// CallbackBytes is a hook or function in Go.
	CallbackBytes = 650
)

var (
	counts = func() (handles, callbacks int64) { return 0, 0 }
	told   = func() {}
)

// SetCounts sets where the number of open Tensors and of callbacks comes from, and
// what is called at each Recount: the next one is due when there are some hundred
// Tensors more than then.
func SetCounts(number func() (handles, callbacks int64), recounted func()) {
	counts, told = number, recounted
}

// atCollection is how things stood after the last collection.
var atCollection struct {
	nodes   atomic.Uint64 // numbers given to nodes
	tensors atomic.Int64  // handles and blocks
}

func init() { mem.CPU.BlockCost.Store(BlockBytes) }

// overhead is what handles, nodes and callbacks take. Nobody counts the nodes that
// are gone, and those which a live tensor needs are no reason to collect. So
// nodes count if they were made since the last collection, and at most one for each
// handle and each block by which there are more: a node that only garbage refers to
// has left its result behind, as a handle or as a block that the graph keeps.
func overhead() int64 {
	handles, callbacks := counts()
	sum := handles*HandleBytes + callbacks*CallbackBytes
	if nodes := int64(cgotorch.NodeNumbers() - atCollection.nodes.Load()); nodes > 0 {
		more := handles + mem.CPU.Blocks.Load() - atCollection.tensors.Load()
		sum += min(nodes, max(more, 0)) * NodeBytes
	}
	return sum
}

// noteCollection makes what is there now the start of the count of nodes.
func noteCollection() {
	atCollection.nodes.Store(cgotorch.NodeNumbers())
	handles, _ := counts()
	atCollection.tensors.Store(handles + mem.CPU.Blocks.Load())
}

// charged is the native memory that counts for the threshold.
func charged() int64 { return blocks() + overhead() }

// beside is what of it is not in the allocator's blocks.
func beside() int64 { return charged() - mem.CPU.LiveBytes.Load() }

// trimAbove is how much a collection has to free beside blocks for malloc to be
// trimmed after it. Without that each thread's heap would keep the pages of the most
// tensors that were ever made on the thread, and goroutines move between threads.
const trimAbove = 16 << 20

func blocks() int64 { return mem.CPU.LiveBytes.Load() + mem.CPU.Blocks.Load()*BlockBytes }

// Recount tells the allocator the overhead, with which it goes on until the next
// call, and raises the flag if that is above the threshold already.
func Recount() {
	told()
	if hasLimit.Load() {
		arm() // Go's own heap may have grown
	}
	o := overhead()
	mem.CPU.Overhead.Store(o)
	if blocks()+o > mem.CPU.Threshold.Load() {
		mem.CPU.Pressure.Store(1)
	}
}
