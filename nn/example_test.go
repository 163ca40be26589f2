package nn_test

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Net is a small convolutional network.
type Net struct {
	nn.Base
	conv *nn.Conv2d
	fc   *nn.Linear
}

func NewNet() *Net {
	n := new(Net)
	n.Init(n)
	n.conv = nn.NewConv2d(1, 4, 3, n.As("conv"))
	n.fc = nn.NewLinear(4*3*3, 2, n.As("fc"))
	return n
}

func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = F.MaxPool2d(F.ReLU(n.conv.Forward(x)), 2)
		return n.fc.Forward(x.Flatten(1))
	})
}

// A module is a struct that embeds nn.Base. Its layers are registered automatically, with Python's
// names.
func Example() {
	torch.ManualSeed(0)
	net := NewNet()
	defer net.Close()
	for _, p := range net.NamedParameters() {
		fmt.Println(p.Name, p.Tensor.Shape())
	}
	torch.Scope(func() {
		y := net.Forward(torch.Zeros(torch.Shape{5, 1, 8, 8}))
		fmt.Println(y.Shape())
	})
	fmt.Println(net)
	// Output:
	// conv.weight (4, 1, 3, 3)
	// conv.bias (4,)
	// fc.weight (2, 36)
	// fc.bias (2,)
	// (5, 2)
	// Net(
	//   (conv): Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1))
	//   (fc): Linear(in_features=36, out_features=2, bias=True)
	// )
}

// In this training loop, each step runs in a scope, which frees the temporary tensors
// of the step.
func Example_training() {
	torch.ManualSeed(0)
	model := nn.NewSequential(nn.NewLinear(2, 16), nn.NewTanh(), nn.NewLinear(16, 2))
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(0.05))
	defer opt.Close()

	x := torch.FromSlice([]float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2)
	xor := torch.FromSlice([]int64{0, 1, 1, 0})
	defer x.Close()
	defer xor.Close()
	for range 100 {
		torch.Scope(func() {
			loss := F.CrossEntropy(model.Forward(x), xor)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	}

	model.Eval()
	torch.NoGrad(func() {
		torch.Scope(func() { fmt.Println(model.Forward(x).ArgMax(torch.Dim(1)).Int64s()) })
	})
	// Output: [0 1 1 0]
}

// An error names the layer in which it occurred.
func ExampleBase_Call() {
	model := nn.NewSequential(nn.NewLinear(4, 3), nn.NewReLU(), nn.NewLinear(2, 1))
	defer model.Close()
	torch.Scope(func() {
		err := torch.Try(func() { model.Forward(torch.Zeros(torch.Shape{1, 4})) })
		var te *torch.Error
		if errors.As(err, &te) {
			fmt.Println("in layer", te.Layer)
			fmt.Println(te.Args)
		}
	})
	// Output:
	// in layer 2 (Linear, weight (1, 2), bias (1,), input (1, 3))
	// [input: float32 (1, 3) cpu weight: float32 (1, 2) cpu bias: float32 (1,) cpu]
}

func ExampleBase_String() {
	model := nn.NewSequential(nn.NewConv2d(1, 8, 3), nn.NewReLU(), nn.NewFlatten())
	defer model.Close()
	fmt.Println(model)
	// Output:
	// Sequential(
	//   (0): Conv2d(1, 8, kernel_size=(3, 3), stride=(1, 1))
	//   (1): ReLU()
	//   (2): Flatten(start_dim=1, end_dim=-1)
	// )
}

// A deep copy of a model can start a moving average of its parameters.
func ExampleDeepCopy() {
	model := NewNet()
	defer model.Close()
	average := nn.DeepCopy(model).(*Net)
	defer average.Close()
	average.SetRequiresGrad(false)
	fmt.Println(average.fc.Weight == model.fc.Weight, average.fc.Weight.SharesStorage(model.fc.Weight))
	// Output: false false
}

// The hook keeps the features of one layer beyond the forward pass.
func ExampleBase_RegisterForwardHook() {
	model := nn.NewSequential(nn.NewFlatten(), nn.NewReLU(), nn.NewSoftmax(1))
	var features *torch.Tensor
	hook := model.At(1).ModuleBase().RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
		features = torch.Disown(out[0].Detach())
		return nil
	})
	torch.Scope(func() { model.Forward(torch.FromSlice([]float32{-1, 2}, 1, 2)) })
	hook.Remove()
	fmt.Println(features.Float32s())
	features.Close()
	// Output: [0 2]
}
