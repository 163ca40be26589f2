package torch_test

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

func Example() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		w := torch.Ones(torch.Shape{3, 1}, torch.RequiresGrad(true))
		y := x.MatMul(w)
		y.Sum().Backward()
		fmt.Println(y)
		fmt.Println(w.Grad())
	})
	// Output:
	// tensor([[ 6.],
	//         [15.]], grad_fn=<MmBackward0>)
	// tensor([[5.],
	//         [7.],
	//         [9.]])
}

func Example_creation() {
	torch.Scope(func() {
		fmt.Println(torch.Zeros(torch.Shape{2, 2}, torch.Int64))
		fmt.Println(torch.Arange(0, 10, 3))
		fmt.Println(torch.Arange(0, 1, 0.25))
		fmt.Println(torch.Full(torch.Shape{2}, 7, torch.Float64))
		fmt.Println(torch.Eye(2, torch.BFloat16))
		x := torch.Randn(torch.Shape{2, 3}, torch.RequiresGrad(true))
		fmt.Println(x.Shape(), x.DType(), x.Device(), x.RequiresGrad())
	})
	// Output:
	// tensor([[0, 0],
	//         [0, 0]])
	// tensor([0, 3, 6, 9])
	// tensor([0.0000, 0.2500, 0.5000, 0.7500])
	// tensor([7., 7.], dtype=torch.float64)
	// tensor([[1., 0.],
	//         [0., 1.]], dtype=torch.bfloat16)
	// (2, 3) float32 cpu true
}

func Example_data() {
	torch.Scope(func() {
		t := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		fmt.Println(t.Float32s(), t.Sum().Item())
		buf := make([]float32, 8)
		n := t.CopyTo(buf)
		fmt.Println(buf[:n])
		fmt.Println(t.To(torch.Int32).Int32s())
	})
	// Output:
	// [1 2 3 4] 10
	// [1 2 3 4]
	// [1 2 3 4]
}

func Example_arithmetic() {
	torch.Scope(func() {
		a := torch.FromSlice([]int{1, 2, 3})
		fmt.Println(a.AddScalar(1), a.AddScalar(1.5)) // 1 keeps the integers
		col := torch.FromSlice([]float32{10, 20}, 2, 1)
		fmt.Println(col.Add(a)) // broadcasting
		col.Add_(col).MulScalar_(2)
		fmt.Println(col.Float32s())
	})
	// Output:
	// tensor([2, 3, 4]) tensor([2.5000, 3.5000, 4.5000])
	// tensor([[11., 12., 13.],
	//         [21., 22., 23.]])
	// [40 80]
}

func Example_views() {
	torch.Scope(func() {
		x := torch.FromSlice([]int{1, 2, 3, 4, 5, 6}, 2, 3)
		t := x.Transpose(0, 1)
		fmt.Println(x.Stride(), t.Stride(), t.IsContiguous())
		fmt.Println(t.DataPtr() == x.DataPtr(), t.SharesStorage(x))
		err := torch.Try(func() { t.View(6) })
		fmt.Println(errors.Is(err, torch.ErrShape))
		fmt.Println(t.Reshape(6).Int64s(), t.Reshape(6).SharesStorage(x)) // copies
	})
	// Output:
	// [3 1] [1 3] false
	// true true
	// true
	// [1 4 2 5 3 6] false
}

func ExampleTensor_Index() {
	torch.Scope(func() {
		x := torch.Arange(0, 12, 1).Reshape(3, 4)
		fmt.Println(x.Index(0))                                           // x[0]
		fmt.Println(x.Index(-1, torch.Slice(1, 3)))                       // x[-1, 1:3]
		fmt.Println(x.Index(torch.All, torch.SliceStep(0, torch.End, 2))) // x[:, ::2]
		fmt.Println(x.Index(torch.Ellipsis, torch.NewAxis).Shape())       // x[..., None]
		fmt.Println(x.Index([]int{2, 0}, 1))                              // x[[2, 0], 1]
		fmt.Println(x.Index(x.GtScalar(8)))                               // x[x > 8]
	})
	// Output:
	// tensor([0, 1, 2, 3])
	// tensor([ 9, 10])
	// tensor([[ 0,  2],
	//         [ 4,  6],
	//         [ 8, 10]])
	// (3, 4, 1)
	// tensor([9, 1])
	// tensor([ 9, 10, 11])
}

func ExampleTensor_SetIndex() {
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{2, 3})
		x.SetIndex(7, 0)                                           // x[0] = 7
		x.SetIndex(torch.FromSlice([]float32{1, 2}), torch.All, 2) // x[:, 2] = torch.tensor([1., 2.])
		x.SetIndex(-1, x.EqScalar(0))                              // x[x == 0] = -1
		fmt.Println(x)
	})
	// Output:
	// tensor([[ 7.,  7.,  1.],
	//         [-1., -1.,  2.]])
}

func ExampleTensor_String() {
	torch.Scope(func() {
		x := torch.Arange(0, 10_000, 1).Reshape(100, 100)
		fmt.Println(x)
		fmt.Printf("%.2f\n", torch.FromSlice([]float32{1.0 / 3, 2.0 / 3}))
	})
	// Output:
	// tensor([[   0,    1,    2,  ...,   97,   98,   99],
	//         [ 100,  101,  102,  ...,  197,  198,  199],
	//         [ 200,  201,  202,  ...,  297,  298,  299],
	//         ...,
	//         [9700, 9701, 9702,  ..., 9797, 9798, 9799],
	//         [9800, 9801, 9802,  ..., 9897, 9898, 9899],
	//         [9900, 9901, 9902,  ..., 9997, 9998, 9999]])
	// tensor([0.33, 0.67])
}

func ExampleSetPrintOptions() {
	torch.SetPrintOptions(torch.Precision(2), torch.EdgeItems(2), torch.Threshold(5))
	defer torch.SetPrintOptions(torch.PrintProfileDefault)
	torch.Scope(func() { fmt.Println(torch.Linspace(0, 1, 7)) })
	// Output:
	// tensor([0.00, 0.17,  ..., 0.83, 1.00])
}

func ExampleTensor_Format() {
	torch.Scope(func() {
		loss := torch.FromSlice([]float32{0.6931472}).Mean()
		counts := torch.FromSlice([]int64{12, 7})
		fmt.Printf("loss %.4f\n", loss) // a tensor without dimensions is a number
		fmt.Printf("counts %3d\n", counts)
	})
	// Output:
	// loss 0.6931
	// counts tensor([ 12,   7])
}

func ExampleScope() {
	x := torch.Ones(torch.Shape{1000})
	defer func() { _ = x.Close() }()
	var y, total *torch.Tensor
	torch.Scope(func() {
		y = x.MulScalar(2).AddScalar(1) // two tensors, both freed at the end
		total = torch.Keep(y.Sum())     // this one is not
	})
	defer func() { _ = total.Close() }()
	fmt.Println(total, y)
	fmt.Println(torch.Try(func() { y.Item() }))
	// Output:
	// tensor(3000.) tensor(<closed>)
	// torch: Item: argument self: tensor used after the end of its torch.Scope: torch.Keep moves it to the enclosing scope, torch.Disown out of all scopes
}

func ExampleTidy() {
	norm := func(x *torch.Tensor) *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor { return x.Mul(x).Sum().Sqrt() })
	}
	torch.Scope(func() {
		x := torch.FromSlice([]float32{3, 4})
		fmt.Println(norm(x)) // the square and its sum are freed already
	})
	// Output: tensor(5.)
}

func ExampleTensor_Backward() {
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{1, 2, 3}, nil, torch.RequiresGrad(true))
		x.Mul(x).Sum().Backward()
		fmt.Println(x.Grad())
	})
	// Output: tensor([2., 4., 6.])
}

func ExampleGrad() {
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{2}, nil, torch.RequiresGrad(true))
		y := x.PowScalar(3)
		first := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.CreateGraph(true))[0]
		second := torch.Grad([]*torch.Tensor{first}, []*torch.Tensor{x})[0]
		fmt.Println(first.Item(), second.Item())
	})
	// Output: 12 12
}

func ExampleNoGrad() {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		torch.NoGrad(func() {
			w.SubScalar_(0.1) // a step that is not part of any graph
			fmt.Println(w.MulScalar(2).RequiresGrad())
		})
		fmt.Println(w)
	})
	// Output:
	// false
	// tensor([0.9000, 0.9000], requires_grad=True)
}

func ExampleTensor_RegisterHook() {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		h := x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.MulScalar(0.5) })
		defer h.Remove()
		x.MulScalar(4).Sum().Backward()
		fmt.Println(x.Grad())
	})
	// Output: tensor([2., 2.])
}

func ExampleFunction() {
	cube := torch.Function{
		Name: "Cube",
		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			ctx.Save(in[0])
			return []*torch.Tensor{in[0].PowScalar(3)}
		},
		Backward: func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
			x := ctx.Saved()[0]
			return []*torch.Tensor{grad[0].Mul(x.Mul(x)).MulScalar(3)}
		},
	}
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{1, 2}, nil, torch.RequiresGrad(true))
		cube.Apply(x)[0].Sum().Backward()
		fmt.Println(x.Grad())
	})
	// Output: tensor([ 3., 12.])
}

func ExampleTry() {
	torch.Scope(func() {
		a, b := torch.Zeros(torch.Shape{2, 3}), torch.Zeros(torch.Shape{2, 3})
		err := torch.Try(func() { a.MatMul(b) })
		fmt.Println(errors.Is(err, torch.ErrShape))
		var e *torch.Error
		if errors.As(err, &e) {
			fmt.Println(e.Op, e.Args) // e.Message is libtorch's own
		}
		fmt.Println(torch.Try(func() { a.AddScalar("1") }))
	})
	// Output:
	// true
	// MatMul [self: float32 (2, 3) cpu other: float32 (2, 3) cpu]
	// torch: AddScalar: argument other: expected a number, bool or complex, got string
}

func ExampleManualSeed() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		fmt.Println(torch.Randn(torch.Shape{4}))
		g := torch.NewGenerator(torch.CPU).ManualSeed(0) // a stream of its own
		fmt.Println(torch.Randn(torch.Shape{4}, g))
	})
	// Output:
	// tensor([ 1.5410, -0.2934, -2.1788,  0.5684])
	// tensor([ 1.5410, -0.2934, -2.1788,  0.5684])
}

func Example_goroutines() {
	w := torch.Full(torch.Shape{2, 2}, 0.5)
	defer func() { _ = w.Close() }()
	sums := make([]float64, 4)
	var wg sync.WaitGroup
	for i := range sums {
		wg.Go(func() {
			torch.Scope(func() { // each goroutine has scopes of its own
				x := torch.Full(torch.Shape{1, 2}, float64(i))
				sums[i] = x.MatMul(w).Sum().Item()
			})
		})
	}
	wg.Wait()
	fmt.Println(sums)
	// Output: [0 2 4 6]
}
