package detection

import (
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
	"github.com/gotorch/gotorch/vision/ops"
)

// IntermediateLayerGetter runs the first layers of a network, and returns the results of some of them. Its
// layers are children with their names in the network. Follows
// torchvision.models._utils.IntermediateLayerGetter.
type IntermediateLayerGetter struct {
	nn.Base
	ReturnLayers map[string]string // the names of the results, by the names of the layers
}

// newGetter takes the layers over from their owner up to the last one that is needed, and closes the
// others.
func newGetter(layers []nn.NamedModule, returns map[string]string) *IntermediateLayerGetter {
	g := &IntermediateLayerGetter{ReturnLayers: returns}
	g.Init(g)
	left := len(returns)
	for _, l := range layers {
		if left == 0 {
			_ = l.Module.ModuleBase().Close()
			continue
		}
		g.Register(l.Name, l.Module)
		if _, ok := returns[l.Name]; ok {
			left--
		}
	}
	return g
}

// Forward returns the results with their names, in the order of the layers.
func (g *IntermediateLayerGetter) Forward(x *torch.Tensor) []nn.NamedTensor {
	var names []string
	return named(&names, g.CallN([]*torch.Tensor{x}, func(inputs []*torch.Tensor) (results []*torch.Tensor) {
		x, in, kept := inputs[0], inputs[0], true
		for _, c := range g.Children() {
			y := c.Module.(nn.Layer).Forward(x)
			if !kept && y != x {
				own.Release(x)
			}
			name, ok := g.ReturnLayers[c.Name]
			if ok {
				names, results = append(names, name), append(results, y)
			}
			x, kept = y, ok || y == in
		}
		return results
	}))
}

// named returns tensors with their names, which are known when the tensors are.
func named(names *[]string, tensors []*torch.Tensor) []nn.NamedTensor {
	out := make([]nn.NamedTensor, len(tensors))
	for i, t := range tensors {
		out[i] = nn.NamedTensor{Name: (*names)[i], Tensor: t}
	}
	return out
}

// BackboneWithFPN is a network whose intermediate results go through a feature pyramid network. Follows
// torchvision.models.detection.backbone_utils.BackboneWithFPN.
type BackboneWithFPN struct {
	nn.Base
	Body        *IntermediateLayerGetter
	FPN         *ops.FeaturePyramidNetwork
	OutChannels int64 // the number of channels of each feature map
}

func newBackbone(body *IntermediateLayerGetter, channels []int64, extra ops.ExtraFPNBlock,
	norm ops.NormLayer,
) *BackboneWithFPN {
	b := &BackboneWithFPN{OutChannels: 256}
	b.Init(b)
	b.Body = body
	b.Register("body", body)
	b.FPN = ops.NewFeaturePyramidNetwork(channels, b.OutChannels, ops.ExtraBlocks(extra), norm)
	b.Register("fpn", b.FPN)
	return b
}

// Forward takes normalized images of shape (N, 3, H, W), and returns feature maps, the largest first.
func (b *BackboneWithFPN) Forward(x *torch.Tensor) []nn.NamedTensor {
	var names []string
	return named(&names, b.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) (out []*torch.Tensor) {
		maps := b.Body.Forward(in[0])
		for _, m := range b.FPN.Forward(maps) {
			names, out = append(names, m.Name), append(out, m.Tensor)
		}
		for _, m := range maps {
			own.Release(m.Tensor)
		}
		return out
	}))
}

// normOf returns the normalization of a backbone.
func (c *config) normOf(frozen bool) models.NormLayer {
	switch {
	case c.norm != nil:
		return c.norm
	case frozen && c.pretrained:
		return func(channels int64) nn.Layer { return ops.NewFrozenBatchNorm2d(channels) }
	}
	return func(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }
}

// resNet returns the layers of a ResNet-50, and results for layers first to 4. frozen says whether a
// pretrained model has constant normalizations.
func (c *config) resNet(first int, frozen bool) *IntermediateLayerGetter {
	net := models.NewResNet50(c.normOf(frozen))
	train := []string{"layer4", "layer3", "layer2", "layer1", "conv1"}[:c.trainable]
	if c.trainable == 5 {
		train = append(train, "bn1")
	}
	for _, p := range net.NamedParameters() {
		free := false
		for _, prefix := range train {
			free = free || strings.HasPrefix(p.Name, prefix)
		}
		if !free {
			p.Tensor.SetRequiresGrad(false)
		}
	}
	returns := map[string]string{}
	for i := first; i <= 4; i++ {
		returns["layer"+strconv.Itoa(i)] = strconv.Itoa(i - first)
	}
	return newGetter(net.Children(), returns)
}

// mobileStages are the layers of a MobileNetV3 at which the feature maps become smaller, and the last one.
var mobileStages = []int{0, 2, 4, 7, 13, 16}

// freezeStages turns off the gradients of the layers before the last n stages.
func freezeStages(layers []nn.NamedModule, stages []int, n int) {
	before := len(layers)
	if n > 0 {
		before = stages[len(stages)-n]
	}
	for _, l := range layers[:before] {
		for _, p := range l.Module.ModuleBase().Parameters() {
			p.SetRequiresGrad(false)
		}
	}
}

// mobileNet returns the layers of a MobileNetV3, and results for its last two stages.
func (c *config) mobileNet() *IntermediateLayerGetter {
	opts := []models.MobileNetV3Option{}
	if c.norm != nil || c.pretrained {
		opts = append(opts, c.normOf(true))
	} else {
		opts = append(opts, models.NormLayer(func(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }))
	}
	net := models.NewMobileNetV3Large(opts...)
	_ = net.Classifier.Close()
	layers := net.Features.Children()
	freezeStages(layers, mobileStages, c.trainable)
	return newGetter(layers, map[string]string{"13": "0", "16": "1"})
}

// OverwriteEps sets the number that each [ops.FrozenBatchNorm2d] of a model adds to the variances.
// torchvision sets it to 0 when it loads the files of [Weights] for which ZeroEps is true. Follows
// torchvision.models.detection._utils.overwrite_eps.
func OverwriteEps(m nn.Module, eps float64) {
	for _, m := range nn.Modules(m) {
		if f, ok := m.(*ops.FrozenBatchNorm2d); ok {
			f.Eps = eps
		}
	}
}
