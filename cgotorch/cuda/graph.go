package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Graph is a libtorch CUDAGraph. The caller must free it.
type Graph uintptr

// NewGraph creates an empty graph. If keep is set, the driver's cudaGraph_t is kept after
// the executable graph has been created from it.
func NewGraph(keep bool) (Graph, *cgotorch.Error) {
	var k C.int
	if keep {
		k = 1
	}
	var g C.gt_cuda_graph
	err := take(C.gt_cuda_graph_new(k, &g))
	return Graph(g), err
}

// FreeGraph frees a graph and everything recorded in it.
func FreeGraph(g Graph) { C.gt_cuda_graph_free(C.gt_cuda_graph(g)) }

// GraphPool returns the number of an unused pool.
func GraphPool() (Pool, *cgotorch.Error) {
	var p C.gt_cuda_pool
	err := take(C.gt_cuda_graph_pool(&p))
	return Pool{uint64(p.a), uint64(p.b)}, err
}

// Begin starts capturing a stream. mode is 0 for global, 1 for thread-local, 2 for
// relaxed. Unless mode is relaxed, End must be called on the same thread.
func (g Graph) Begin(s Stream, pool Pool, mode int) *cgotorch.Error {
	return take(C.gt_cuda_graph_begin(C.gt_cuda_graph(g), s.c(), pool.c(), C.int(mode)))
}

// End ends the capture. If it fails, the graph is empty again.
func (g Graph) End(s Stream) *cgotorch.Error {
	return take(C.gt_cuda_graph_end(C.gt_cuda_graph(g), s.c()))
}

// Instantiate creates the executable graph of a graph that was created with keep.
func (g Graph) Instantiate() *cgotorch.Error {
	return take(C.gt_cuda_graph_instantiate(C.gt_cuda_graph(g)))
}

// Replay launches the graph on the stream.
func (g Graph) Replay(s Stream) *cgotorch.Error {
	return take(C.gt_cuda_graph_replay(C.gt_cuda_graph(g), s.c()))
}

// Reset makes the graph empty again.
func (g Graph) Reset() *cgotorch.Error { return take(C.gt_cuda_graph_reset(C.gt_cuda_graph(g))) }

// Dump writes the recorded graph to a file for Graphviz.
func (g Graph) Dump(path string) *cgotorch.Error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return take(C.gt_cuda_graph_dump(C.gt_cuda_graph(g), p))
}

// Raw returns the driver's cudaGraph_t. The graph must have been created with keep.
func (g Graph) Raw() (uintptr, *cgotorch.Error) {
	var raw C.uintptr_t
	err := take(C.gt_cuda_graph_raw(C.gt_cuda_graph(g), &raw))
	return uintptr(raw), err
}

// Generator makes replays draw new numbers from a generator.
func (g Graph) Generator(gen abi.Generator) *cgotorch.Error {
	return take(C.gt_cuda_graph_generator(C.gt_cuda_graph(g), C.gt_generator(gen)))
}
