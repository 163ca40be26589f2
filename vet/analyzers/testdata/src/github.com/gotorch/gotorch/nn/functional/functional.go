// Package functional stands in for the library's package.
package functional

import "github.com/gotorch/gotorch/torch"

func MSELoss(x, y *torch.Tensor) *torch.Tensor { return torch.Rand() }
