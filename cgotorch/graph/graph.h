// Reads the autograd graph of tensors, for reports. See ../abi.h for the rules.
#ifndef GOTORCH_GRAPH_H
#define GOTORCH_GRAPH_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t first_edge, n_edges;  // range of gt_graph.edges, which contains indices of nodes
  int64_t first_saved, n_saved;
  char* name;       // name of the node, such as MulBackward0
  int8_t readable;  // whether the node's saved tensors are known
  int8_t released;  // whether a backward pass has freed the saved tensors
} gt_graph_node;

typedef struct {
  uintptr_t tensor;   // address that identifies the tensor
  uintptr_t storage;  // address that identifies the storage; 0 if there is none
  int64_t bytes;      // of the storage
  int64_t numel;
  int32_t device;  // as in gt_info
  int8_t dtype;
  int8_t kind;  // why the node keeps the tensor: GT_GRAPH_SAVED and so on
  int64_t first_size, n_sizes;
} gt_graph_saved;

typedef struct {
  gt_graph_node* nodes;
  int64_t n_nodes;
  int64_t* edges;
  int64_t n_edges;
  gt_graph_saved* saved;
  int64_t n_saved;
  int64_t* sizes;
  int64_t n_sizes;
  int8_t truncated;  // whether the graph has more nodes
} gt_graph;

enum { GT_GRAPH_SAVED, GT_GRAPH_PARAMETER, GT_GRAPH_GRADIENT };

// Walks the graph from the nodes of n tensors, at most max_nodes. The nodes are in
// breadth-first order, starting with the tensors' own nodes. gt_graph_free frees the contents
// of out. During the call, no backward pass may run through the graph. Never calls Go.
uintptr_t gt_graph_walk(const gt_tensor* ts, int64_t n, int64_t max_nodes, gt_graph* out);
void gt_graph_free(gt_graph* g);
// Counts, for each of n tensors, the nodes in its graph that are not in the graph of an earlier
// tensor. Nodes of leaves do not count. Otherwise like gt_graph_walk.
uintptr_t gt_graph_shares(const gt_tensor* ts, int64_t n, int64_t* shares);

#ifdef __cplusplus
}
#endif
#endif
