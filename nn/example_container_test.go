package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A Sequential runs its layers in order. It owns the layers: closing it closes them.
func ExampleSequential() {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	defer model.Close()
	torch.Scope(func() {
		fmt.Println(model.Forward(torch.Randn(torch.Shape{16, 4})).Shape())
	})
	fmt.Println(model)
	// Output:
	// (16, 2)
	// Sequential(
	//   (0): Linear(in_features=4, out_features=8, bias=True)
	//   (1): ReLU()
	//   (2): Linear(in_features=8, out_features=2, bias=True)
	// )
}

// Add gives the layers of a Sequential names.
func ExampleSequential_Add() {
	model := nn.NewSequential().Add("hidden", nn.NewLinear(4, 8)).Add("act", nn.NewTanh()).Add("head",
		nn.NewLinear(8, 2))
	defer model.Close()
	for _, p := range model.NamedParameters() {
		fmt.Println(p.Name)
	}
	// Output:
	// hidden.weight
	// hidden.bias
	// head.weight
	// head.bias
}

// A ModuleList holds layers that a loop calls.
func ExampleModuleList() {
	layers := nn.NewModuleList(nn.NewLinear(4, 4), nn.NewLinear(4, 4))
	defer layers.Close()
	torch.NoGrad(func() {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{1, 4})
			for _, layer := range layers.Values() {
				x = x.Add(layer.(nn.Layer).Forward(x)) // a residual connection
			}
			fmt.Println(x.Shape(), layers.Len())
		})
	})
	// Output:
	// (1, 4) 2
}

// A ModuleDict holds layers that are chosen by name.
func ExampleModuleDict() {
	heads := nn.NewModuleDict().Add("digit", nn.NewLinear(8, 10)).Add("parity", nn.NewLinear(8, 2))
	defer heads.Close()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 8})
		for _, name := range heads.Keys() {
			fmt.Println(name, heads.At(name).(nn.Layer).Forward(x).Shape())
		}
	})
	// Output:
	// digit (1, 10)
	// parity (1, 2)
}

// A ParameterList owns parameters that belong to no layer.
func ExampleParameterList() {
	list := nn.NewParameterList(torch.Zeros(torch.Shape{2}), torch.Ones(torch.Shape{2, 3}))
	defer list.Close()
	for _, p := range list.NamedParameters() {
		fmt.Println(p.Name, p.Tensor.Shape(), p.Tensor.RequiresGrad())
	}
	// Output:
	// 0 (2,) true
	// 1 (2, 3) true
}

func ExampleParameterDict() {
	dict := nn.NewParameterDict().Add("scale", torch.Ones(torch.Shape{2})).Add("shift", torch.Zeros(torch.Shape{2}))
	defer dict.Close()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{3, 4})
		fmt.Println(x.Mul(dict.At("scale")).Add(dict.At("shift")).Float32s())
	})
	fmt.Println(dict.Keys())
	// Output:
	// [3 4]
	// [scale shift]
}

func ExampleNamedModules() {
	model := nn.NewSequential(nn.NewLinear(2, 2), nn.NewSequential(nn.NewReLU()))
	defer model.Close()
	for _, m := range nn.NamedModules(model) {
		fmt.Printf("%q %s\n", m.Name, m.Module.ModuleBase().TypeName())
	}
	// Output:
	// "" Sequential
	// "0" Linear
	// "1" Sequential
	// "1.0" ReLU
}

// The hook runs for all modules of the process, until it is removed.
func ExampleRegisterModuleForwardHook() {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU())
	defer model.Close()
	hook := nn.RegisterModuleForwardHook(func(m nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
		fmt.Println(m.ModuleBase().TypeName(), out[0].Shape())
		return nil
	})
	defer hook.Remove()
	torch.Scope(func() { model.Forward(torch.Zeros(torch.Shape{1, 4})) })
	// Output:
	// Linear (1, 8)
	// ReLU (1, 8)
	// Sequential (1, 8)
}
