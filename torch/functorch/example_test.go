package functorch_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
)

// Nested transforms compute the derivatives of the sine.
func Example() {
	torch.Scope(func() {
		sin := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Sin() })
		x := torch.FromSlice([]float32{0, 1, 2})
		fmt.Println(functorch.VMap(functorch.Grad(sin)).One(x))
		fmt.Println(functorch.VMap(functorch.Grad(functorch.Grad(sin))).One(x))
	})
	// Output:
	// tensor([ 1.0000,  0.5403, -0.4161])
	// tensor([-0.0000, -0.8415, -0.9093])
}

// VMap of Grad computes the gradients of the weights for each example in one pass. Differential
// privacy clips them one by one before summing them.
func ExampleVMap() {
	torch.Scope(func() {
		w := torch.FromSlice([]float32{1, -1})
		x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
		y := torch.FromSlice([]float32{0, 1, 0})
		loss := functorch.OfMany(func(in ...*torch.Tensor) *torch.Tensor {
			w, x, y := in[0], in[1], in[2] // for one example
			return F.MSELoss(x.Dot(w), y)
		})
		each := functorch.VMap(functorch.Grad(loss), functorch.InDims{functorch.NotMapped, 0, 0})
		fmt.Println(each.One(w, x, y))
	})
	// Output:
	// tensor([[ -2.,  -4.],
	//         [-12., -16.],
	//         [-10., -12.]])
}

func ExampleJVP() {
	torch.Scope(func() {
		fn := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		x, v := torch.FromSlice([]float32{1, 2, 3}), torch.FromSlice([]float32{1, 0, 1})
		y, dy := functorch.JVP(fn, []*torch.Tensor{x}, []*torch.Tensor{v})
		fmt.Println(y[0], dy[0])
	})
	// Output: tensor([1., 4., 9.]) tensor([2., 0., 6.])
}

func ExampleVJP() {
	torch.Scope(func() {
		fn := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		y, vjp := functorch.VJP(fn, []*torch.Tensor{torch.FromSlice([]float32{1, 2, 3})})
		defer func() { _ = vjp.Close() }()
		fmt.Println(vjp.Apply(torch.OnesLike(y[0]))[0])
	})
	// Output: tensor([2., 4., 6.])
}

func ExampleHessian() {
	torch.Scope(func() {
		fn := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3).Sum() })
		fmt.Println(functorch.Hessian(fn).One(torch.FromSlice([]float32{1, 2})))
	})
	// Output:
	// tensor([[ 6.,  0.],
	//         [ 0., 12.]])
}

// An ensemble: VMap runs several modules at once with stacked parameters.
func ExampleStackModuleState() {
	torch.Scope(func() {
		models := []nn.Module{nn.NewLinear(2, 1, nn.Bias(false)), nn.NewLinear(2, 1, nn.Bias(false))}
		for i, m := range models {
			defer m.Close()
			torch.NoGrad(func() { m.Parameters()[0].Fill_(i + 1) })
		}
		params, _ := functorch.StackModuleState(models...)
		fn, _ := functorch.MakeFunctional(models[0].(nn.Layer))
		all := functorch.VMap(fn, functorch.InDims{0, functorch.NotMapped})
		fmt.Println(all.One(params.Get("weight"), torch.Ones(torch.Shape{1, 2})).Squeeze().Detach())
	})
	// Output: tensor([2., 4.])
}
