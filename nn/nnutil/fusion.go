package nnutil

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// BatchNorm is a batch normalization: an nn.BatchNorm1d, nn.BatchNorm2d or
// nn.BatchNorm3d.
type BatchNorm interface {
	nn.Layer
	ResetRunningStats()
}

// epsOf returns the eps of bn, which bn adds to the variance.
func epsOf(op string, bn BatchNorm) float64 {
	switch bn := bn.(type) {
	case *nn.BatchNorm1d:
		return bn.Eps
	case *nn.BatchNorm2d:
		return bn.Eps
	case *nn.BatchNorm3d:
		return bn.Eps
	}
	panic(torch.NewError(op, torch.ErrType, "bn",
		fmt.Sprintf("expected a batch normalization, got a %s", bn.ModuleBase().TypeName())))
}

// A FuseConvOption is [Transpose].
//
//gotorch:options Transpose
type FuseConvOption interface{ fuseConvOption() }

// Transpose says whether the convolution is transposed. The default is false.
type Transpose bool

// FuseConvBNEval returns a copy of a convolution that includes the batch normalization
// after it. Both must be in evaluation mode. The copy has the type of conv and belongs to
// the caller. It panics with ErrNil for a nil module or option, with ErrValue for a
// module in training mode or a normalization without running statistics, and with ErrType
// for any other kind of normalization. Follows torch.nn.utils.fuse_conv_bn_eval.
func FuseConvBNEval(conv nn.Layer, bn BatchNorm, opts ...FuseConvOption) nn.Layer {
	const op = "FuseConvBNEval"
	return fuseCopy(op, "conv", conv, bn, func(weight, bias *torch.Tensor, s statistics) (w, b *torch.Tensor) {
		return FuseConvBNWeights(weight, bias, s.mean, s.variance, epsOf(op, bn), s.weight, s.bias, opts...)
	})
}

// FuseLinearBNEval is [FuseConvBNEval] for a linear layer. It panics with ErrShape
// unless the normalization has one feature or as many as the layer has outputs.
// Follows torch.nn.utils.fuse_linear_bn_eval.
func FuseLinearBNEval(linear *nn.Linear, bn BatchNorm) *nn.Linear {
	const op = "FuseLinearBNEval"
	return fuseCopy(op, "linear", linear, bn, func(weight, bias *torch.Tensor, s statistics) (w, b *torch.Tensor) {
		if n := s.mean.Numel(); n != weight.Size(0) && n != 1 {
			panic(torch.NewError(op, torch.ErrShape, "bn",
				fmt.Sprintf("expected %d features as in the linear layer, or 1, got %d", weight.Size(0), n)))
		}
		return FuseLinearBNWeights(weight, bias, s.mean, s.variance, epsOf(op, bn), s.weight, s.bias)
	}).(*nn.Linear)
}

// statistics holds the tensors of a batch normalization.
type statistics struct{ mean, variance, weight, bias *torch.Tensor }

// fuseCopy returns a copy of a layer with the parameters that fuse returns. arg is the name of the
// layer's argument.
func fuseCopy(op, arg string, layer nn.Layer, bn BatchNorm,
	fuse func(weight, bias *torch.Tensor, s statistics) (w, b *torch.Tensor),
) nn.Layer {
	mustBeInEval(op, arg, layer)
	mustBeInEval(op, "bn", bn)
	b := bn.ModuleBase()
	s := statistics{
		b.GetBuffer("running_mean"), b.GetBuffer("running_var"), b.GetParameter("weight"),
		b.GetParameter("bias"),
	}
	if s.mean == nil || s.variance == nil {
		panic(torch.NewError(op, torch.ErrValue, "bn", "has no running statistics"))
	}
	from := layer.ModuleBase()
	w, bias := fuse(from.GetParameter("weight"), from.GetParameter("bias"), s)
	done := false
	defer func() {
		if !done {
			_, _ = w.Close(), bias.Close()
		}
	}()
	twin := nn.DeepCopy(layer).(nn.Layer)
	done = true
	replaceParameter(twin, "weight", w)
	replaceParameter(twin, "bias", bias)
	return twin
}

// mustBeInEval panics unless m is a module in evaluation mode.
func mustBeInEval(op, arg string, m nn.Module) {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, arg, "a nil module"))
	}
	if m.ModuleBase().Training() {
		panic(torch.NewError(op, torch.ErrValue, arg, "the module is in training mode: call Eval first"))
	}
}

// replaceParameter replaces a parameter with p and keeps p's RequiresGrad.
func replaceParameter(m nn.Module, name string, p *torch.Tensor) {
	grad := p.RequiresGrad()
	old := m.ModuleBase().GetParameter(name)
	m.ModuleBase().RegisterParameter(name, p)
	p.SetRequiresGrad(grad)
	_ = old.Close()
}

// FuseConvBNWeights returns the weight and bias of a convolution that includes a
// batch normalization, as parameters that belong to the caller. convB, bnW and bnB
// may be nil. The statistics have one element for each output channel. It panics with
// ErrNil for any other nil tensor and for a nil option.
// Follows torch.nn.utils.fuse_conv_bn_weights.
func FuseConvBNWeights(convW, convB, mean, variance *torch.Tensor, eps float64, bnW, bnB *torch.Tensor,
	opts ...FuseConvOption,
) (weight, bias *torch.Tensor) {
	const op = "FuseConvBNWeights"
	transposed := opt.Read(op, opts, Transpose(false))
	mustNotBeNil(op, namedArg{"convW", convW}, namedArg{"mean", mean}, namedArg{"variance", variance})
	channels := 0 // the dimension of the weight that counts the output channels
	if transposed {
		channels = 1
	}
	if convW.Dim() <= int64(channels) {
		panic(torch.NewError(op, torch.ErrShape, "convW",
			fmt.Sprintf("expected more than %d dimensions, got size %v", channels, convW.Shape())))
	}
	return newFusedWeights(convW, convB, mean, func(b *torch.Tensor) (*torch.Tensor, *torch.Tensor) {
		if bnW == nil {
			bnW = torch.OnesLike(mean)
		}
		if bnB == nil {
			bnB = torch.ZerosLike(mean)
		}
		shape := make([]int64, convW.Dim())
		for i := range shape {
			shape[i] = 1
		}
		shape[channels] = -1
		root := variance.AddScalar(eps).Rsqrt()
		return convW.Mul(bnW.Mul(root).Reshape(shape...)), b.Sub(mean).Mul(root).Mul(bnW).Add(bnB)
	})
}

// FuseLinearBNWeights is [FuseConvBNWeights] for a linear layer.
// Follows torch.nn.utils.fuse_linear_bn_weights.
func FuseLinearBNWeights(linearW, linearB, mean, variance *torch.Tensor, eps float64, bnW,
	bnB *torch.Tensor,
) (weight, bias *torch.Tensor) {
	mustNotBeNil("FuseLinearBNWeights", namedArg{"linearW", linearW}, namedArg{"mean", mean},
		namedArg{"variance", variance}, namedArg{"bnW", bnW}, namedArg{"bnB", bnB})
	return newFusedWeights(linearW, linearB, mean, func(b *torch.Tensor) (*torch.Tensor, *torch.Tensor) {
		scale := bnW.Mul(variance.AddScalar(eps).Rsqrt())
		return linearW.Mul(scale.Unsqueeze(-1).To(linearW.DType())), b.Sub(mean).Mul(scale).Add(bnB)
	})
}

// namedArg is an argument with its name.
type namedArg struct {
	arg string
	t   *torch.Tensor
}

// mustNotBeNil panics with ErrNil for the first argument that is nil.
func mustNotBeNil(op string, args ...namedArg) {
	for _, a := range args {
		a.t.HandleFor(fmt.Sprintf("%s(%s)", op, a.arg), 0)
	}
}

// newFusedWeights makes parameters from fn's results. They get the dtypes and RequiresGrad of the
// layer's parameters.
func newFusedWeights(w, b, mean *torch.Tensor,
	fn func(b *torch.Tensor) (w, bias *torch.Tensor),
) (weight, bias *torch.Tensor) {
	biasType, biasGrad := w.DType(), false
	torch.NoGrad(func() {
		torch.Scope(func() {
			if b != nil {
				biasType, biasGrad = b.DType(), b.RequiresGrad()
			} else {
				b = torch.ZerosLike(mean)
			}
			weight, bias = fn(b)
			weight, bias = nn.NewParameter(weight.To(w.DType())), nn.NewParameter(bias.To(biasType))
		})
	})
	weight.SetRequiresGrad(w.RequiresGrad())
	bias.SetRequiresGrad(biasGrad)
	return weight, bias
}

// ConvertConv2dWeightMemoryFormat converts the weights of all 2-d convolutions in a
// module, including transposed convolutions, to a memory format. It panics with ErrNil
// for a nil module, and with libtorch's errors. Follows
// torch.nn.utils.convert_conv2d_weight_memory_format.
func ConvertConv2dWeightMemoryFormat(m nn.Module, format torch.MemoryFormat) {
	convertWeights("ConvertConv2dWeightMemoryFormat", m, format, func(m nn.Module) bool {
		_, conv := embedded.Find[*nn.Conv2d](m)
		_, transposed := embedded.Find[*nn.ConvTranspose2d](m)
		c := script.Class(m)
		return conv || transposed || c == "Conv2d" || c == "ConvTranspose2d"
	})
}

// ConvertConv3dWeightMemoryFormat is [ConvertConv2dWeightMemoryFormat] for 3-d
// convolutions. Follows torch.nn.utils.convert_conv3d_weight_memory_format.
func ConvertConv3dWeightMemoryFormat(m nn.Module, format torch.MemoryFormat) {
	convertWeights("ConvertConv3dWeightMemoryFormat", m, format, func(m nn.Module) bool {
		_, conv := embedded.Find[*nn.Conv3d](m)
		_, transposed := embedded.Find[*nn.ConvTranspose3d](m)
		c := script.Class(m)
		return conv || transposed || c == "Conv3d" || c == "ConvTranspose3d"
	})
}

func convertWeights(op string, m nn.Module, format torch.MemoryFormat, is func(m nn.Module) bool) {
	var weights []*torch.Tensor
	for _, below := range nn.Modules(m) {
		b := below.ModuleBase()
		if !is(below) {
			continue
		}
		if b.IsDerived("weight") {
			panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("the weight of a %s is computed from other "+
				"tensors; convert it before it is pruned or parametrized", b.TypeName())))
		}
		if w := b.GetParameter("weight"); w != nil {
			weights = append(weights, w)
		}
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			for _, w := range weights {
				w.SetData(w.Detach().Clone(format))
			}
		})
	})
}
