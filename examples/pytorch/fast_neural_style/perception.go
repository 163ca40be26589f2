package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// perception compares images by the features of the first ten convolutions of VGG-16.
type perception struct {
	// All layers, and the layers up to the last one whose features are compared with the
	// original image.
	layers, content *nn.Sequential
	// Parts of layers. Each part ends with a layer whose features are compared with the
	// style.
	slices    []*nn.Sequential
	style     []*torch.Tensor // Gram matrices of the style picture
	mean, std *torch.Tensor   // of the colors in ImageNet
}

// newPerception reads VGG-16 from the file at path. If path is empty, it makes a network
// with random weights. style is the style image (1, 3, H, W), with values from 0 to 255.
func newPerception(path string, width float64, style *torch.Tensor, device torch.Device) (*perception, error) {
	if path != "" {
		width = 1
	}
	layers := nn.NewSequential()
	in := int64(3)
	for _, n := range []int64{64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512} {
		if n == 0 {
			layers.Append(nn.NewMaxPool2d(2, nn.Stride(2)))
			continue
		}
		conv := nn.NewConv2d(in, channels(n, width), 3, nn.Padding(1))
		nninit.KaimingNormal_(conv.Weight)
		nninit.Zeros_(conv.Bias)
		layers.Append(conv).Append(nn.NewReLU(nn.Inplace(true)))
		in = channels(n, width)
	}
	if err := loadVGG(layers, path); err != nil {
		_ = layers.Close()
		return nil, err
	}
	layers.SetRequiresGrad(false)
	layers.To(device)
	colors := func(c ...float32) *torch.Tensor { return torch.FromSlice(c, 3, 1, 1).To(device) }
	p := &perception{
		layers: layers, content: layers.Slice(0, 9), mean: colors(0.485, 0.456, 0.406),
		std:    colors(0.229, 0.224, 0.225),
		slices: []*nn.Sequential{layers.Slice(0, 4), layers.Slice(4, 9), layers.Slice(9, 16), layers.Slice(16, 23)},
	}
	p.style = torch.TidyAll(func() (grams []*torch.Tensor) {
		x := p.normalize(style.To(device))
		for _, slice := range p.slices {
			//torchvet:ignore carried the next slice of one network, not another step
			x = slice.Forward(x)
			grams = append(grams, gram(x))
		}
		return grams
	})
	return p, nil
}

// loadVGG reads the weights of layers from torchvision's file. If path is empty, it does
// nothing.
func loadVGG(layers *nn.Sequential, path string) error {
	if path == "" {
		return nil
	}
	saved, err := serialization.OpenStateDict(path)
	if err != nil {
		return err
	}
	defer saved.Close()
	return layers.LoadStateDict(saved, nn.Rename{{"features.**", "**"}},
		nn.Ignore{"features.24.*", "features.26.*", "features.28.*", "classifier.**"})
}

func (p *perception) close() { _ = p.layers.Close() }

// normalize converts images with values from 0 to 255 to VGG's input.
func (p *perception) normalize(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return x.DivScalar(255).Sub(p.mean).Div(p.std) })
}

// gram maps features (N, C, H, W) to their Gram matrices, (N, C, C): the correlations of
// pairs of channels. Gram matrices describe a style, because they do not depend on
// positions in the image.
func gram(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		seen := x.Flatten(2)
		return seen.Bmm(seen.Transpose(1, 2)).DivScalar(seen.Size(1) * seen.Size(2))
	})
}

// losses returns the content loss and the style loss of a model's drawings of x.
func (p *perception) losses(model *nn.Sequential, x *torch.Tensor) (content, style *torch.Tensor) {
	both := torch.TidyAll(func() []*torch.Tensor {
		y := torch.Tidy(func() *torch.Tensor { return p.normalize(model.Forward(x)) })
		same := torch.Tidy(func() *torch.Tensor { return p.content.Forward(p.normalize(x)) })
		var lacks []*torch.Tensor
		for i, slice := range p.slices {
			//torchvet:ignore carried the next slice of one network, not another step
			y = slice.Forward(y)
			if i == 1 {
				content = F.MSELoss(y, same)
			}
			g := gram(y)
			lacks = append(lacks, F.MSELoss(g, p.style[i].ExpandAs(g)))
		}
		return []*torch.Tensor{content, torch.Stack(lacks).Sum()}
	})
	return both[0], both[1]
}
