package autograd_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/autograd"
	"github.com/gotorch/gotorch/torch/functorch"
)

// The example prints the Jacobian of a function at a point, and the gradient of its
// sum.
func Example() {
	torch.Scope(func() {
		fn := autograd.Func(func(x ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{x[0].Prod(), x[0].Square().Sum()}
		})
		in := []*torch.Tensor{torch.FromSlice([]float32{2, 3})}
		j := autograd.JacobianN(fn, in)
		fmt.Println(j[0][0], j[1][0])
		one := torch.Ones(torch.Shape{})
		_, g := autograd.VJPN(fn, in, []*torch.Tensor{one, one})
		fmt.Println(g[0])
	})
	// Output:
	// tensor([3., 2.]) tensor([4., 6.])
	// tensor([7., 8.])
}

func ExampleJacobian() {
	torch.Scope(func() {
		fn := func(x *torch.Tensor) *torch.Tensor { return x.Square().Mul(x.Sum()) }
		fmt.Println(autograd.Jacobian(fn, torch.FromSlice([]float32{1, 2})))
	})
	// Output:
	// tensor([[ 7.,  1.],
	//         [ 4., 16.]])
}

func ExampleHessianN() {
	torch.Scope(func() {
		fn := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Square().Mul(x[1]).Sum() })
		x, y := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3, 4})
		h := autograd.HessianN(fn, []*torch.Tensor{x, y})
		fmt.Println(h[0][0])
		fmt.Println(h[0][1])
	})
	// Output:
	// tensor([[6., 0.],
	//         [0., 8.]])
	// tensor([[2., 0.],
	//         [0., 4.]])
}

// HVP returns the second derivative in a direction without computing the whole Hessian.
func ExampleHVP() {
	torch.Scope(func() {
		fn := func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3).Sum() }
		y, hv := autograd.HVP(fn, torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{1, 1}))
		fmt.Println(y, hv)
	})
	// Output: tensor(9.) tensor([ 6., 12.])
}
