// Package graph reads the autograd graph of a tensor: nodes, edges, and the tensors that
// nodes saved for the backward pass. It is a separate cgo package, so that changing it
// recompiles little code. Programs use memory.Graph.
package graph

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_graph_walk
#cgo nocallback gt_graph_walk
#cgo noescape gt_graph_shares
#cgo nocallback gt_graph_shares
#cgo noescape gt_graph_free
#cgo nocallback gt_graph_free
#include "graph.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Kind is the reason why a node holds a tensor.
type Kind int8

// The kinds of held tensor.
const (
	Saved     Kind = C.GT_GRAPH_SAVED     // saved for the backward pass
	Parameter Kind = C.GT_GRAPH_PARAMETER // the leaf whose gradient the node accumulates
	Gradient  Kind = C.GT_GRAPH_GRADIENT  // the gradient of the leaf
)

// Tensor is a tensor that a node holds.
type Tensor struct {
	Kind    Kind
	ID      uintptr // address that identifies the tensor
	Storage uintptr // address that identifies the storage; 0 if there is none
	Bytes   int64   // of the storage
	Shape   []int64
	DType   int8
	Device  int32
}

// Node is one node of the graph.
type Node struct {
	Name     string
	Next     []int // indices of the nodes that get this node's gradients
	Held     []Tensor
	Readable bool // whether the tensors that the node holds are known
	Released bool // whether a backward pass has freed the saved tensors
}

// Walk returns at most limit nodes of the graph of ts, in breadth-first order, and
// whether there are more. During the call, the handles must stay valid, and no backward
// pass may run through the graph.
func Walk(ts []abi.Tensor, limit int) (nodes []Node, more bool, st abi.Status) {
	if len(ts) == 0 {
		return nil, false, 0
	}
	var g C.gt_graph
	st = abi.Status(C.gt_graph_walk((*C.gt_tensor)(unsafe.Pointer(&ts[0])), C.int64_t(len(ts)), C.int64_t(limit), &g))
	if st != 0 {
		return nil, false, st
	}
	defer C.gt_graph_free(&g)
	raw := unsafe.Slice(g.nodes, int(g.n_nodes))
	edges := unsafe.Slice(g.edges, int(g.n_edges))
	held := unsafe.Slice(g.saved, int(g.n_saved))
	sizes := unsafe.Slice(g.sizes, int(g.n_sizes))
	nodes = make([]Node, len(raw))
	for i, r := range raw {
		n := Node{Name: C.GoString(r.name), Readable: r.readable != 0, Released: r.released != 0}
		for _, e := range edges[r.first_edge : r.first_edge+r.n_edges] {
			n.Next = append(n.Next, int(e))
		}
		for _, s := range held[r.first_saved : r.first_saved+r.n_saved] {
			t := Tensor{
				Kind: Kind(s.kind), ID: uintptr(s.tensor), Storage: uintptr(s.storage), Bytes: int64(s.bytes),
				DType: int8(s.dtype), Device: int32(s.device), Shape: make([]int64, int(s.n_sizes)),
			}
			for j := range t.Shape {
				t.Shape[j] = int64(sizes[int(s.first_size)+j])
			}
			n.Held = append(n.Held, t)
		}
		nodes[i] = n
	}
	return nodes, g.truncated != 0, 0
}

// Shares returns, for each tensor, the number of nodes in its graph that are not in the
// graph of an earlier tensor. Nodes of leaves do not count. During the call, the handles
// must stay valid, and no backward pass may run through the graphs.
func Shares(ts []abi.Tensor) (nodes []int64, st abi.Status) {
	nodes = make([]int64, len(ts))
	if len(ts) == 0 {
		return nodes, 0
	}
	st = abi.Status(C.gt_graph_shares((*C.gt_tensor)(unsafe.Pointer(&ts[0])), C.int64_t(len(ts)),
		(*C.int64_t)(unsafe.Pointer(&nodes[0]))))
	return nodes, st
}
