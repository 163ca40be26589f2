// Package nnutil stands in for the library's package.
package nnutil

import "github.com/gotorch/gotorch/torch"

func ClipGradNorm_(params []*torch.Tensor, limit float64) *torch.Tensor {
	return torch.Rand()
}
