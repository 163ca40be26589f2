package ops

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// FeaturePyramidNetwork combines feature maps of different sizes: it adds to each map the next smaller
// one, scaled up. Follows torchvision.ops.FeaturePyramidNetwork.
type FeaturePyramidNetwork struct {
	nn.Base
	InnerBlocks, LayerBlocks *nn.ModuleList
	ExtraBlocks              ExtraFPNBlock // or nil
}

// An ExtraFPNBlock adds feature maps to the results of a [FeaturePyramidNetwork]. Forward gets the
// results, the maps from which they were computed and their names. It returns the results and the
// names, to which it appends. Follows torchvision.ops.feature_pyramid_network.ExtraFPNBlock.
type ExtraFPNBlock interface {
	nn.Module
	Forward(results, x []*torch.Tensor, names []string) ([]*torch.Tensor, []string)
}

// A FeaturePyramidNetworkOption is an option of [NewFeaturePyramidNetwork]: [ExtraBlocks] or
// [NormLayer].
//
//gotorch:options ExtraBlocksOption NormLayer
type FeaturePyramidNetworkOption interface{ featurePyramidNetworkOption() }

// ExtraBlocksOption is the option that [ExtraBlocks] returns.
type ExtraBlocksOption struct{ block ExtraFPNBlock }

// ExtraBlocks is the block of a FeaturePyramidNetwork that adds feature maps, extra_blocks in Python.
// The network closes it. nil means none.
func ExtraBlocks(block ExtraFPNBlock) ExtraBlocksOption { return ExtraBlocksOption{block} }

// NewFeaturePyramidNetwork returns a FeaturePyramidNetwork for feature maps with the given numbers of
// channels. Each result has outChannels channels. By default there is no normalization. It panics with
// ErrValue for a number of channels below 1, and with ErrNil for a nil option.
func NewFeaturePyramidNetwork(inChannels []int64, outChannels int64,
	opts ...FeaturePyramidNetworkOption,
) *FeaturePyramidNetwork {
	const op = "ops.NewFeaturePyramidNetwork"
	var norm NormLayer
	l := new(FeaturePyramidNetwork)
	for _, o := range opts {
		switch o := o.(type) {
		case NormLayer:
			norm = o
		case ExtraBlocksOption:
			l.ExtraBlocks = o.block
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if len(inChannels) == 0 || min(inChannels[0], outChannels) < 1 {
		panic(torch.NewError(op, torch.ErrValue, "inChannels",
			fmt.Sprintf("expected positive numbers of channels, got %v and %d", inChannels, outChannels)))
	}
	extra := l.ExtraBlocks
	l.ExtraBlocks = nil // registered last, as in Python
	l.Init(l)
	l.InnerBlocks = nn.NewModuleList().In(l, "inner_blocks")
	l.LayerBlocks = nn.NewModuleList().In(l, "layer_blocks")
	for _, in := range inChannels {
		if in < 1 {
			panic(torch.NewError(op, torch.ErrValue, "inChannels",
				fmt.Sprintf("expected positive numbers, got %v", inChannels)))
		}
		none := ActivationLayer(nil)
		l.InnerBlocks.Append(NewConv2dNormActivation(in, outChannels, KernelSize(1), Padding(0), norm, none))
		l.LayerBlocks.Append(NewConv2dNormActivation(outChannels, outChannels, norm, none))
	}
	for _, m := range nn.Modules(l) {
		if c, ok := m.(*nn.Conv2d); ok {
			kaiming(c)
		}
	}
	if extra != nil {
		l.ExtraBlocks = extra
		l.Register("extra_blocks", extra)
	}
	renameOld(l)
	return l
}

func kaiming(c *nn.Conv2d) {
	nninit.KaimingUniform_(c.Weight, nninit.A(1))
	if c.Bias != nil {
		nninit.Zeros_(c.Bias)
	}
}

// renameOld lets a network load files in which its blocks are single convolutions.
func renameOld(l *FeaturePyramidNetwork) {
	l.RegisterLoadStateDictPreHook(func(m nn.Module, sd *nn.StateDict, prefix string) {
		renamed := map[string]string{}
		for _, list := range []string{"inner_blocks", "layer_blocks"} {
			for i := range m.(*FeaturePyramidNetwork).InnerBlocks.Len() {
				for _, kind := range []string{"weight", "bias"} {
					block := fmt.Sprintf("%s%s.%d.", prefix, list, i)
					renamed[block+kind] = block + "0." + kind
				}
			}
		}
		for i, n := range *sd {
			if name, ok := renamed[n.Name]; ok {
				(*sd)[i].Name = name
			}
		}
	})
}

// Forward takes feature maps, the largest first, each of shape (N, channels, H, W). It returns new
// maps with the same names and sizes, and then those of [ExtraBlocks]. It panics with ErrShape for
// another number of maps, and like the layers.
func (l *FeaturePyramidNetwork) Forward(x []nn.NamedTensor) []nn.NamedTensor {
	const op = "ops.FeaturePyramidNetwork.Forward"
	n := l.InnerBlocks.Len()
	if len(x) != n {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("expected %d feature maps, got %d", n, len(x))))
	}
	in, names := make([]*torch.Tensor, n), make([]string, n)
	for i, f := range x {
		in[i], names[i] = f.Tensor, f.Name
	}
	out := l.CallN(in, func(in []*torch.Tensor) []*torch.Tensor {
		results := make([]*torch.Tensor, n)
		var above *torch.Tensor
		for i := n - 1; i >= 0; i-- {
			inner := l.InnerBlocks.At(i).(nn.Layer).Forward(in[i])
			if above != nil {
				s := inner.Shape()
				scaled := F.Interpolate(above, F.Sizes{s[2], s[3]})
				own.Release(above)
				sum := inner.Add(scaled)
				own.ReleaseAll(inner, scaled)
				inner = sum
			}
			above = inner
			results[i] = l.LayerBlocks.At(i).(nn.Layer).Forward(inner)
		}
		if l.ExtraBlocks != nil {
			results, names = l.ExtraBlocks.Forward(results, in, names)
		}
		return results
	})
	maps := make([]nn.NamedTensor, len(out))
	for i, t := range out {
		maps[i] = nn.NamedTensor{Name: names[i], Tensor: t}
	}
	return maps
}

// LastLevelMaxPool is an [ExtraFPNBlock] that adds a map "pool", which has every second row and column
// of the last one. Follows torchvision.ops.feature_pyramid_network.LastLevelMaxPool.
type LastLevelMaxPool struct{ nn.Base }

// NewLastLevelMaxPool returns a LastLevelMaxPool.
func NewLastLevelMaxPool() *LastLevelMaxPool {
	l := new(LastLevelMaxPool)
	l.Init(l)
	return l
}

// Forward appends the map to results. It panics with ErrShape without results.
func (l *LastLevelMaxPool) Forward(results, _ []*torch.Tensor, names []string) ([]*torch.Tensor, []string) {
	last := needLast("ops.LastLevelMaxPool.Forward", "results", results)
	pool := l.Call(last, func(x *torch.Tensor) *torch.Tensor { return F.MaxPool2d(x, 1, F.Stride(2), F.Padding(0)) })
	return append(results, pool), append(names, "pool")
}

func needLast(op, arg string, list []*torch.Tensor) *torch.Tensor {
	if len(list) == 0 {
		panic(torch.NewError(op, torch.ErrShape, arg, "expected at least one feature map"))
	}
	return list[len(list)-1]
}

// LastLevelP6P7 is an [ExtraFPNBlock] that adds maps "p6" and "p7", computed by convolutions with a
// stride of 2. Follows torchvision.ops.feature_pyramid_network.LastLevelP6P7.
type LastLevelP6P7 struct {
	nn.Base
	P6, P7 *nn.Conv2d
	UseP5  bool // whether P6 gets the last result, and not the last input of the network
}

// NewLastLevelP6P7 returns a LastLevelP6P7 from in to out channels. It panics with ErrValue for
// negative numbers.
func NewLastLevelP6P7(in, out int64) *LastLevelP6P7 {
	l := &LastLevelP6P7{UseP5: in == out}
	l.Init(l)
	l.P6 = nn.NewConv2d(in, out, 3, nn.Stride(2), nn.Padding(1), l.As("p6"))
	l.P7 = nn.NewConv2d(out, out, 3, nn.Stride(2), nn.Padding(1), l.As("p7"))
	kaiming(l.P6)
	kaiming(l.P7)
	return l
}

// Forward appends the maps to results. It panics with ErrShape without results or x, and like the
// layers.
func (l *LastLevelP6P7) Forward(results, x []*torch.Tensor, names []string) ([]*torch.Tensor, []string) {
	const op = "ops.LastLevelP6P7.Forward"
	last, c5 := needLast(op, "results", results), needLast(op, "x", x)
	if !l.UseP5 {
		last = c5
	}
	added := l.CallN([]*torch.Tensor{last}, func(in []*torch.Tensor) []*torch.Tensor {
		p6 := l.P6.Forward(in[0])
		act := F.ReLU(p6)
		p7 := l.P7.Forward(act)
		own.Release(act)
		return []*torch.Tensor{p6, p7}
	})
	return append(results, added...), append(names, "p6", "p7")
}
