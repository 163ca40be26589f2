package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Negative elements become 0.
func ExampleReLU() {
	relu := nn.NewReLU()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(relu.Forward(x))
	})
	// Output: tensor([0., 0., 0., 1., 3.])
}

// ReLU with a ceiling of 6.
func ExampleReLU6() {
	relu6 := nn.NewReLU6()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 8})
		fmt.Println(relu6.Forward(x))
	})
	// Output: tensor([0., 0., 0., 1., 6.])
}

// Negative elements are multiplied by the slope.
func ExampleLeakyReLU() {
	leakyReLU := nn.NewLeakyReLU(0.1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(leakyReLU.Forward(x))
	})
	// Output: tensor([-0.2000, -0.0500,  0.0000,  1.0000,  3.0000])
}

// PReLU is a LeakyReLU whose slope is a parameter, initially 0.25.
func ExamplePReLU() {
	prelu := nn.NewPReLU()
	defer prelu.Close()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(prelu.Forward(x))
	})
	// Output:
	// tensor([-0.5000, -0.1250,  0.0000,  1.0000,  3.0000],
	//        grad_fn=<PreluKernelBackward0>)
}

// RReLU is a LeakyReLU with random slopes in training, and with the mean slope after
// Eval.
func ExampleRReLU() {
	rrelu := nn.NewRReLU()
	rrelu.Eval()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(rrelu.Forward(x))
	})
	// Output: tensor([-0.4583, -0.1146,  0.0000,  1.0000,  3.0000])
}

// The more negative an element is, the closer the result is to -1.
func ExampleELU() {
	elu := nn.NewELU()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(elu.Forward(x))
	})
	// Output: tensor([-0.8647, -0.3935,  0.0000,  1.0000,  3.0000])
}

// CELU is an ELU that is smooth at 0 for every alpha.
func ExampleCELU() {
	celu := nn.NewCELU(nn.Alpha(0.5))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(celu.Forward(x))
	})
	// Output: tensor([-0.4908, -0.3161,  0.0000,  1.0000,  3.0000])
}

// SELU is a scaled ELU that keeps mean and variance from layer to layer.
func ExampleSELU() {
	selu := nn.NewSELU()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(selu.Forward(x))
	})
	// Output: tensor([-1.5202, -0.6918,  0.0000,  1.0507,  3.1521])
}

// GELU multiplies each element by the probability that a standard normal variable is
// below it.
func ExampleGELU() {
	gelu := nn.NewGELU()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 2})
		fmt.Println(gelu.Forward(x))
	})
	// Output: tensor([-0.0455, -0.1543,  0.0000,  0.8413,  1.9545])
}

// SiLU, also called swish, multiplies each element by its sigmoid.
func ExampleSiLU() {
	silu := nn.NewSiLU()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(silu.Forward(x))
	})
	// Output: tensor([-0.2384, -0.1888,  0.0000,  0.7311,  2.8577])
}

// Mish multiplies each element by the tanh of its softplus.
func ExampleMish() {
	mish := nn.NewMish()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(mish.Forward(x))
	})
	// Output: tensor([-0.2525, -0.2207,  0.0000,  0.8651,  2.9865])
}

// Hardswish approximates SiLU without an exponential, for small processors.
func ExampleHardswish() {
	hardswish := nn.NewHardswish()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(hardswish.Forward(x))
	})
	// Output: tensor([-0.3333, -0.2083,  0.0000,  0.6667,  3.0000])
}

// Hardsigmoid approximates the sigmoid by three straight lines.
func ExampleHardsigmoid() {
	hardsigmoid := nn.NewHardsigmoid()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(hardsigmoid.Forward(x))
	})
	// Output: tensor([0.1667, 0.4167, 0.5000, 0.6667, 1.0000])
}

// Elements below -1 become -1, and elements above 2 become 2.
func ExampleHardtanh() {
	hardtanh := nn.NewHardtanh(nn.MinVal(-1), nn.MaxVal(2))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(hardtanh.Forward(x))
	})
	// Output: tensor([-1.0000, -0.5000,  0.0000,  1.0000,  2.0000])
}

// Elements from -0.5 to 0.5 become 0.
func ExampleHardshrink() {
	hardshrink := nn.NewHardshrink(nn.Lambd(0.5))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(hardshrink.Forward(x))
	})
	// Output: tensor([-2.,  0.,  0.,  1.,  3.])
}

// Softshrink moves every element 0.5 closer to 0, but not past 0.
func ExampleSoftshrink() {
	softshrink := nn.NewSoftshrink(nn.Lambd(0.5))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(softshrink.Forward(x))
	})
	// Output: tensor([-1.5000, -0.0000,  0.0000,  0.5000,  2.5000])
}

// Tanhshrink subtracts from each element its tanh.
func ExampleTanhshrink() {
	tanhshrink := nn.NewTanhshrink()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(tanhshrink.Forward(x))
	})
	// Output: tensor([-1.0360, -0.0379,  0.0000,  0.2384,  2.0049])
}

// Sigmoid maps elements to numbers between 0 and 1.
func ExampleSigmoid() {
	sigmoid := nn.NewSigmoid()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(sigmoid.Forward(x))
	})
	// Output: tensor([0.1192, 0.3775, 0.5000, 0.7311, 0.9526])
}

// LogSigmoid computes the logarithm of the sigmoid without overflow.
func ExampleLogSigmoid() {
	logSigmoid := nn.NewLogSigmoid()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(logSigmoid.Forward(x))
	})
	// Output: tensor([-2.1269, -0.9741, -0.6931, -0.3133, -0.0486])
}

// Tanh maps elements to numbers between -1 and 1.
func ExampleTanh() {
	tanh := nn.NewTanh()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(tanh.Forward(x))
	})
	// Output: tensor([-0.9640, -0.4621,  0.0000,  0.7616,  0.9951])
}

// Softsign divides each element by 1 plus its absolute value.
func ExampleSoftsign() {
	softsign := nn.NewSoftsign()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(softsign.Forward(x))
	})
	// Output: tensor([-0.6667, -0.3333,  0.0000,  0.5000,  0.7500])
}

// A smooth ReLU.
func ExampleSoftplus() {
	softplus := nn.NewSoftplus()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(softplus.Forward(x))
	})
	// Output: tensor([0.1269, 0.4741, 0.6931, 1.3133, 3.0486])
}

// Elements up to 0.5 become -1.
func ExampleThreshold() {
	threshold := nn.NewThreshold(0.5, -1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-2, -0.5, 0, 1, 3})
		fmt.Println(threshold.Forward(x))
	})
	// Output: tensor([-1., -1., -1.,  1.,  3.])
}

// GLU multiplies the first half of the features by the sigmoid of the second half.
func ExampleGLU() {
	glu := nn.NewGLU()
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 0, 3}})
		fmt.Println(glu.Forward(x))
	})
	// Output: tensor([[0.5000, 1.9051]])
}
