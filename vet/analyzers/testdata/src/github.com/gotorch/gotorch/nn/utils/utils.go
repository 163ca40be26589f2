// Package utils stands in for the library's.
package utils

import "github.com/gotorch/gotorch/torch"

func ClipGradNorm(params []*torch.Tensor, limit float64) *torch.Tensor {
	return torch.Rand()
}
