package torch_test

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The dtype of a result follows from the dtypes of the operands.
func ExampleDType() {
	fmt.Println(torch.PromoteTypes(torch.Int64, torch.Float32), torch.Float32.IsFloatingPoint())
	torch.Scope(func() {
		x := torch.FromSlice([]int64{1, 2})
		fmt.Println(x.DType(), x.Div(x).DType(), x.To(torch.BFloat16).DType())
	})
	// Output:
	// float32 true
	// int64 float32 bfloat16
}

// A program can parse a device's name, for example from a flag.
func ExampleDevice() {
	dev, err := torch.ParseDevice("cuda:1")
	fmt.Println(dev, dev.Type(), dev.Index(), err)
	fmt.Println(dev == torch.CUDA.At(1), torch.CPU)
	_, err = torch.ParseDevice("tpu")
	fmt.Println(errors.Is(err, torch.ErrValue))
	// Output:
	// cuda:1 cuda 1 <nil>
	// true cpu
	// true
}

// A function that is misused panics with an *Error, which Try returns. The error names
// the called function, the tensors, and the kind of mistake.
func ExampleError() {
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{2, 3})
		err := torch.Try(func() { x.View(4) })
		var e *torch.Error
		if errors.As(err, &e) {
			fmt.Println(e.Op, e.Args)
		}
		fmt.Println(errors.Is(err, torch.ErrShape), errors.Is(err, torch.ErrDType))
	})
	// Output:
	// View [self: float32 (2, 3) cpu]
	// true false
}

func ExampleFinfo() {
	fmt.Println(torch.Finfo(torch.Float16).Max, torch.Finfo(torch.Float32).Bits)
	fmt.Println(torch.Finfo(torch.BFloat16).Eps)
	// Output:
	// 65504 32
	// 0.0078125
}

func ExampleIinfo() {
	fmt.Println(torch.Iinfo(torch.Int8).Min, torch.Iinfo(torch.Uint8).Max)
	// Output: -128 255
}

// Shapes are slices of sizes that print as in Python.
func ExampleShape() {
	s := torch.Shape{2, 3}
	fmt.Println(s, s.Numel(), len(s))
	fmt.Println(torch.BroadcastShapes(torch.Shape{4, 1}, torch.Shape{3}))
	// Output:
	// (2, 3) 6 2
	// (4, 3)
}

// x[:, 1:3], x[-2:] and x[::2]
func ExampleSlice() {
	torch.Scope(func() {
		x := torch.Arange(0, 8, 1).Reshape(2, 4)
		fmt.Println(x.Index(torch.All, torch.Slice(1, 3)))
		y := x.Flatten()
		fmt.Println(y.Index(torch.SliceFrom(-2)), y.Index(torch.SliceStep(0, torch.End, 2)))
	})
	// Output:
	// tensor([[1, 2],
	//         [5, 6]])
	// tensor([6, 7]) tensor([0, 2, 4, 6])
}

// A generator is an independent source of random numbers. Its state can be saved and
// restored.
func ExampleGenerator() {
	gen := torch.NewGenerator(torch.CPU).ManualSeed(1)
	torch.Scope(func() {
		state := gen.State()
		a := torch.Rand(torch.Shape{3}, gen)
		gen.SetState(state)
		b := torch.Rand(torch.Shape{3}, gen)
		fmt.Println(a, a.Equal(b))
	})
	// Output: tensor([0.7576, 0.2793, 0.4031]) true
}

// The setting makes float32 products on a GPU faster and less precise, in the whole
// process.
func ExampleSetFloat32MatmulPrecision() {
	before := torch.Float32MatmulPrecision()
	torch.SetFloat32MatmulPrecision(torch.MatmulHigh)
	defer torch.SetFloat32MatmulPrecision(before)
	fmt.Println(before, torch.Float32MatmulPrecision())
	// Output: highest high
}

func ExampleFloat32MatmulPrecision() {
	fmt.Println(torch.Float32MatmulPrecision())
	// Output: highest
}

// The example makes operators without a deterministic algorithm panic, and then restores
// the default.
func ExampleGetDeterministicDebugMode() {
	fmt.Println(torch.GetDeterministicDebugMode())
	torch.SetDeterministicDebugMode(torch.DeterministicError)
	defer torch.SetDeterministicDebugMode(torch.DeterministicDefault)
	fmt.Println(torch.GetDeterministicDebugMode())
	// Output:
	// 0
	// 2
}

// The example suppresses libtorch's warnings in a part of the program that expects
// them.
func ExampleSetWarnings() {
	before := torch.SetWarnings(torch.WarnNever)
	// ...
	fmt.Println(before == torch.WarnOnce, torch.SetWarnings(before) == torch.WarnNever)
	// Output:
	// true true
}
