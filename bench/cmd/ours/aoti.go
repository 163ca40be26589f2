package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torch/safetensors"
)

func init() {
	cases["aoti.mlp"] = func(a args) result {
		return compiled(a, "mlp", torch.Shape{16, 32}, func() nn.Layer {
			return nn.NewSequential(nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 64), nn.NewReLU(),
				nn.NewLinear(64, 10))
		})
	}
	cases["aoti.resnet18"] = func(a args) result {
		return compiled(a, "resnet18", torch.Shape{1, 3, 224, 224}, resnet18)
	}
}

// compiled times a package that Python compiled or, with the "eager" argument, the
// original layers. It first checks that both return the same result.
func compiled(a args, name string, shape torch.Shape, layers func() nn.Layer) result {
	folder := os.Getenv("GOTORCH_BENCH_AOTI")
	model := must(aoti.Load(filepath.Join(folder, name+".pt2")))
	defer func() { check(model.Close()) }()
	x := torch.Randn(shape, torch.NewGenerator(1))
	defer func() { check(x.Close()) }()
	eager := layers()
	defer func() { check(eager.Close()) }()
	weights := must(safetensors.LoadFile(filepath.Join(folder, name+".safetensors")))
	check(eager.LoadStateDict(nn.NewStateDict(weights)))
	for _, w := range weights {
		check(w.Close())
	}
	eager.Eval()
	var nanos int64
	torch.NoGrad(func() {
		torch.Scope(func() {
			if want, got := eager.Forward(x), model.Run(x)[0]; !got.AllClose(want, torch.RTol(1e-3), torch.ATol(1e-3)) {
				check(fmt.Errorf("%s: the package and the layers return different results", name))
			}
		})
		once := func() { torch.Scope(func() { model.Run(x) }) }
		if a.get("eager", 0) != 0 {
			once = func() { torch.Scope(func() { eager.Forward(x) }) }
		}
		nanos = timed(a.iterations, once)
	})
	return result{nanos: nanos}
}

// residualBlock is the residual block of torchvision's ResNet-18: two convolutions and a
// skip connection.
type residualBlock struct {
	nn.Base
	conv1, conv2 *nn.Conv2d
	bn1, bn2     *nn.BatchNorm2d
	downsample   *nn.Sequential
}

func newResidualBlock(in, out, stride int64) *residualBlock {
	b := new(residualBlock)
	b.Init(b)
	b.conv1 = nn.NewConv2d(in, out, 3, nn.Stride(stride), nn.Padding(1), nn.Bias(false), b.As("conv1"))
	b.bn1 = nn.NewBatchNorm2d(out, b.As("bn1"))
	b.conv2 = nn.NewConv2d(out, out, 3, nn.Padding(1), nn.Bias(false), b.As("conv2"))
	b.bn2 = nn.NewBatchNorm2d(out, b.As("bn2"))
	if in != out {
		b.downsample = nn.NewSequential(nn.NewConv2d(in, out, 1, nn.Stride(stride), nn.Bias(false)),
			nn.NewBatchNorm2d(out)).In(b, "downsample")
	}
	return b
}

// Forward applies the block to x.
func (b *residualBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := b.bn1.Forward(b.conv1.Forward(x)).ReLU_()
		y = b.bn2.Forward(b.conv2.Forward(y))
		if b.downsample != nil {
			x = b.downsample.Forward(x)
		}
		return y.Add_(x).ReLU_()
	})
}

// resNet is torchvision's ResNet-18.
type resNet struct {
	nn.Base
	conv1  *nn.Conv2d
	bn1    *nn.BatchNorm2d
	pool   *nn.MaxPool2d
	layers []*nn.Sequential
	mean   *nn.AdaptiveAvgPool2d
	fc     *nn.Linear
}

func resnet18() nn.Layer {
	r := new(resNet)
	r.Init(r)
	r.conv1 = nn.NewConv2d(3, 64, 7, nn.Stride(2), nn.Padding(3), nn.Bias(false), r.As("conv1"))
	r.bn1 = nn.NewBatchNorm2d(64, r.As("bn1"))
	r.pool = nn.NewMaxPool2d(3, nn.Stride(2), nn.Padding(1), r.As("maxpool"))
	in := int64(64)
	for i, out := range []int64{64, 128, 256, 512} {
		first := newResidualBlock(in, out, min(int64(i+1), 2))
		r.layers = append(r.layers, nn.NewSequential(first, newResidualBlock(out, out, 1)).In(r,
			fmt.Sprintf("layer%d", i+1)))
		in = out
	}
	r.mean = nn.NewAdaptiveAvgPool2d(1, r.As("avgpool"))
	r.fc = nn.NewLinear(512, 1000, r.As("fc"))
	return r
}

// Forward applies the network to x.
func (r *resNet) Forward(x *torch.Tensor) *torch.Tensor {
	return r.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = r.pool.Forward(r.bn1.Forward(r.conv1.Forward(x)).ReLU_())
		for _, l := range r.layers {
			x = l.Forward(x)
		}
		return r.fc.Forward(r.mean.Forward(x).Flatten(1))
	})
}
