// Package sparse has the functions of torch.sparse, over *torch.Tensor. How
// sparse tensors are made and taken apart is in package torch: SparseCOOTensor,
// Tensor.ToSparse, Tensor.Indices.
package sparse
