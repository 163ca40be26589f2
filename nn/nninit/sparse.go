package nninit

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Sparse_ draws a matrix from a normal distribution with mean 0 and standard deviation [Std], 0.01
// by default. It then sets sparsity * rows elements of each column, rounded up, to 0. The default
// generator chooses the elements, as in PyTorch. It panics with ErrShape for anything but a matrix,
// with ErrValue unless 0 <= sparsity <= 1, and otherwise as [Normal_] does. Follows
// torch.nn.init.sparse_.
func Sparse_(t *torch.Tensor, sparsity float64, opts ...SparseOption) *torch.Tensor {
	const op = "Sparse_(t)"
	std, g := opt.Read2(op, opts, Std(0.01), GeneratorOption{})
	s := shapeOf(op, t, 2)
	if len(s) != 2 {
		panic(torch.NewError(op, torch.ErrShape, "t", fmt.Sprintf("expected a matrix, got size %v", s)))
	}
	if !(sparsity >= 0 && sparsity <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "sparsity",
			fmt.Sprintf("expected a fraction from 0 to 1, got %v", sparsity)))
	}
	normal(op, t, 0, float64(std), g.g)
	zeros := int64(math.Ceil(sparsity * float64(s[0])))
	torch.NoGrad(func() {
		for col := range s[1] {
			torch.Scope(func() {
				rows := torch.RandPerm(s[0]).Narrow(0, 0, zeros)
				index := rows.HandleFor(op, 0)
				modify(op, t.Select(1, col), func(cx abi.Ctx, h abi.Tensor) abi.Status {
					return aten.IndexFill_IntScalar(cx, h, 0, index, integer(0))
				}, rows)
			})
		}
	})
	return t
}

// Dirac_ sets the weight of a convolution so that the convolution returns its input: 1 at
// the center of the kernel from each channel to the same channel, and 0 elsewhere. The
// weight has shape (out, in, *kernel) with one to three kernel sizes. [Groups], 1 by
// default, repeats this for each group of output channels. It panics with ErrShape for
// any other number of dimensions, and with ErrValue unless the number of groups divides
// the number of output channels. Follows torch.nn.init.dirac_.
func Dirac_(t *torch.Tensor, opts ...DiracOption) *torch.Tensor {
	const op = "Dirac_(t)"
	groups := opt.Read(op, opts, Groups(1))
	s := shapeOf(op, t, 3)
	if len(s) > 5 {
		panic(torch.NewError(op, torch.ErrShape, "t", fmt.Sprintf("expected 3 to 5 dimensions, got size %v", s)))
	}
	if groups < 1 || s[0]%int64(groups) != 0 {
		panic(torch.NewError(op, torch.ErrValue, "Groups",
			fmt.Sprintf("expected a divisor of the %[2]d output channels, got %[1]d", groups, s[0])))
	}
	Zeros_(t)
	if s.Numel() == 0 {
		return t
	}
	each := s[0] / int64(groups)
	torch.NoGrad(func() {
		for g := range int64(groups) {
			for c := range min(each, s[1]) {
				torch.Scope(func() {
					at := t.Select(0, g*each+c).Select(0, c)
					for _, k := range s[2:] {
						at = at.Select(0, k/2)
					}
					Ones_(at)
				})
			}
		}
	})
	return t
}
