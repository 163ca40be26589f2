package main

import (
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// newTransformer returns the network. It maps images (N, 3, H, W) with values from 0 to
// 255 to images of the same size, rounded up to a multiple of 4. Its layers have the same
// names as in PyTorch's example, so that it can load networks trained in Python.
func newTransformer(width float64) *nn.Sequential {
	a, b, c := channels(32, width), channels(64, width), channels(128, width)
	m := nn.NewSequential()
	add := func(name, norm string, in, out int64, kernel int, stride nn.Stride) {
		m.Add(name, newConv(in, out, kernel, stride)).
			Add(norm, nn.NewInstanceNorm2d(out, nn.Affine(true))).Add(name+"_relu", nn.NewReLU())
	}
	add("conv1", "in1", 3, a, 9, 1)
	add("conv2", "in2", a, b, 3, 2)
	add("conv3", "in3", b, c, 3, 2)
	for _, name := range []string{"res1", "res2", "res3", "res4", "res5"} {
		m.Add(name, newResidual(c))
	}
	m.Add("upsample1", nn.NewUpsample(nn.ScaleFactor(2)))
	add("deconv1", "in4", c, b, 3, 1)
	m.Add("upsample2", nn.NewUpsample(nn.ScaleFactor(2)))
	add("deconv2", "in5", b, a, 3, 1)
	return m.Add("deconv3", newConv(a, 3, 9, 1))
}

// newConv returns a convolution with reflection padding.
func newConv(in, out int64, kernel int, stride nn.Stride) *nn.Sequential {
	return nn.NewSequential().
		Add("reflection_pad", nn.NewReflectionPad2d(kernel/2)).
		Add("conv2d", nn.NewConv2d(in, out, kernel, stride))
}

// residual adds the result of its layers to their input.
type residual struct{ nn.Sequential }

func newResidual(n int64) *residual {
	m := &residual{}
	m.Init(m)
	m.Add("conv1", newConv(n, n, 3, 1)).Add("in1", nn.NewInstanceNorm2d(n, nn.Affine(true))).Add("relu", nn.NewReLU()).
		Add("conv2", newConv(n, n, 3, 1)).Add("in2", nn.NewInstanceNorm2d(n, nn.Affine(true)))
	return m
}

func (m *residual) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor { return m.Sequential.Forward(x).Add(x) })
}

// load reads a trained network. Files from PyTorch's example also contain running
// statistics for the normalization layers. load ignores these statistics, because they
// are not used.
func load(model *nn.Sequential, path string) error {
	saved, err := serialization.OpenStateDict(path)
	if err != nil {
		return err
	}
	defer saved.Close()
	return model.LoadStateDict(saved, nn.RenameFunc(func(name string) string {
		if strings.Contains(name, ".running_") {
			return ""
		}
		return name
	}))
}
