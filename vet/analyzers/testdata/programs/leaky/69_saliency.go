// Command saliency explains the decisions of an image classifier: for each image it
// returns gradient times input, summed over channels.
//
// Leaky: the hook of x refers to x itself. libtorch keeps the hook as long as the tensor,
// and the hook keeps the tensor, so no collector frees the pair. x belongs to no scope,
// and nothing closes it or removes the hook. Each call leaves one image (12 KiB).
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const side = 32

type explainer struct {
	net     *nn.Sequential
	classes int64
}

func newExplainer(classes int64) *explainer {
	net := nn.NewSequential(
		nn.NewConv2d(3, 4, 5, nn.Stride(2)), nn.NewReLU(),
		nn.NewConv2d(4, 8, 5, nn.Stride(2)), nn.NewReLU(),
		nn.NewFlatten(), nn.NewLinear(8*5*5, classes),
	)
	net.Eval()
	return &explainer{net: net, classes: classes}
}

// explain returns the class of an image of shape (3, side, side), and how much each pixel
// contributes to that class.
func (e *explainer) explain(pixels []float32) (class int64, heat []float32) {
	x := torch.FromSlice(pixels, 1, 3, side, side).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { // want leak
		heat = g.Mul(x.Detach()).Sum(torch.Dim(1)).Abs().Flatten().Float32s()
		return nil
	})
	torch.Scope(func() {
		scores := e.net.Forward(x).Squeeze(0)
		class = scores.ArgMax().ItemInt()
		scores.Index(class).Backward()
	})
	e.net.ZeroGrad()
	return class, heat
}

func hottest(heat []float32) (at int) {
	for i, v := range heat {
		if v > heat[at] {
			at = i
		}
	}
	return at
}

func main() {
	torch.ManualSeed(9)
	e := newExplainer(5)
	defer e.net.Close()
	votes := make([]int, 5)
	for i := range 150 {
		var pixels []float32
		torch.Scope(func() { pixels = torch.Rand(torch.Shape{3, side, side}).Flatten().Float32s() })
		class, heat := e.explain(pixels)
		votes[class]++
		if i%50 == 49 {
			at := hottest(heat)
			fmt.Printf("image %d: class %d because of pixel (%d, %d)\n", i+1, class, at/side, at%side)
		}
	}
	fmt.Println("votes:", votes)
}
