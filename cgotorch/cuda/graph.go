package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Graph is a libtorch CUDAGraph, the caller's until Free.
type Graph uintptr

// NewGraph makes an empty graph. keep has the graph stay beside what is launched.
func NewGraph(keep bool) (Graph, *cgotorch.Error) {
	var k C.int
	if keep {
		k = 1
	}
	var g C.gt_cuda_graph
	err := take(C.gt_cuda_graph_new(k, &g))
	return Graph(g), err
}

// FreeGraph gives a graph back, with what it recorded.
func FreeGraph(g Graph) { C.gt_cuda_graph_free(C.gt_cuda_graph(g)) }

// GraphPool returns the number of a pool that no graph has yet.
func GraphPool() (Pool, *cgotorch.Error) {
	var p C.gt_cuda_pool
	err := take(C.gt_cuda_graph_pool(&p))
	return Pool{uint64(p.a), uint64(p.b)}, err
}

// Begin starts to record what the stream is given. mode is 0 global, 1 of the thread, 2
// relaxed; unless it is relaxed, End has to be called on the same thread.
func (g Graph) Begin(s Stream, pool Pool, mode int) *cgotorch.Error {
	return take(C.gt_cuda_graph_begin(C.gt_cuda_graph(g), s.c(), pool.c(), C.int(mode)))
}

// End ends Begin. If it fails, the graph is as new.
func (g Graph) End(s Stream) *cgotorch.Error {
	return take(C.gt_cuda_graph_end(C.gt_cuda_graph(g), s.c()))
}

// Instantiate makes what Replay launches, of a graph that was kept.
func (g Graph) Instantiate() *cgotorch.Error {
	return take(C.gt_cuda_graph_instantiate(C.gt_cuda_graph(g)))
}

// Replay gives the stream what was recorded.
func (g Graph) Replay(s Stream) *cgotorch.Error {
	return take(C.gt_cuda_graph_replay(C.gt_cuda_graph(g), s.c()))
}

// Reset makes the graph as new.
func (g Graph) Reset() *cgotorch.Error { return take(C.gt_cuda_graph_reset(C.gt_cuda_graph(g))) }

// Dump writes what was recorded to a file, in the language of Graphviz.
func (g Graph) Dump(path string) *cgotorch.Error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return take(C.gt_cuda_graph_dump(C.gt_cuda_graph(g), p))
}

// Raw returns the driver's cudaGraph_t of a graph that keeps it.
func (g Graph) Raw() (uintptr, *cgotorch.Error) {
	var raw C.uintptr_t
	err := take(C.gt_cuda_graph_raw(C.gt_cuda_graph(g), &raw))
	return uintptr(raw), err
}

// Generator has replays draw new numbers from a generator.
func (g Graph) Generator(gen abi.Generator) *cgotorch.Error {
	return take(C.gt_cuda_graph_generator(C.gt_cuda_graph(g), C.gt_generator(gen)))
}
