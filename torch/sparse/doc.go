// Package sparse provides the functions of torch.sparse, over *torch.Tensor. Package
// torch has the functions that create and convert sparse tensors, such as
// SparseCOOTensor, Tensor.ToSparse and Tensor.Indices. Every function returns new
// tensors, owned by the innermost scope or else by the garbage collector.
package sparse
