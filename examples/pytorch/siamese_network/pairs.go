package main

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const classes = 10

// pairs is a data set of random image pairs. It has as many pairs as there are images.
// Each Get draws a new pair. If the index of a pair is even, its images have the same
// class, and the target is 1. Each class must have at least two images.
type pairs struct {
	images  *torch.Tensor
	members [classes][]int64 // indices of the images of each class
}

func newPairs(set *data.TensorDataset) (*pairs, error) {
	p := &pairs{images: set.Tensors()[0]}
	for i, class := range set.Tensors()[1].Int64s() {
		p.members[class] = append(p.members[class], int64(i))
	}
	for class, members := range p.members {
		if len(members) < 2 {
			return nil, fmt.Errorf("class %d has %d images, expected at least 2", class, len(members))
		}
	}
	return p, nil
}

func (p *pairs) Len() int { return int(p.images.Size(0)) }

// Get draws two different images: of the same class if i is even, otherwise of different
// classes.
func (p *pairs) Get(i int) data.Example {
	class := below(classes)
	one := below(len(p.members[class]))
	first, target := p.members[class][one], torch.Ones(nil)
	var second int64
	if i%2 == 0 {
		second = p.members[class][other(len(p.members[class]), one)]
	} else {
		class = other(classes, class)
		second = p.members[class][below(len(p.members[class]))]
		target.Zero_()
	}
	image := func(i int64) *torch.Tensor { return p.images.Select(0, i).To(torch.Float32) }
	return data.Example{Input: image(first), Target: target, Extra: []*torch.Tensor{image(second)}}
}

// below draws a random number from 0 to n-1.
func below(n int) int { return int(torch.RandInt(0, int64(n), nil).ItemInt()) }

// other draws a random number from 0 to n-1 that is not i.
func other(n, i int) int {
	k := below(n - 1)
	if k >= i {
		k++
	}
	return k
}

// draw draws a PNG file that shows the first pairs with the model's probabilities. If path
// is "", it does nothing.
func draw(path string, model *siamese, pairs *data.Loader) error {
	const columns = 4
	var grid [][]*plot.Plot
	if path == "" {
		return nil
	}
	model.Eval()
	torch.NoGrad(func() {
		for batch := range pairs.All() {
			same := model.Forward(batch.Input, batch.Extra[0]).Float32s()
			shown := torch.Cat([]*torch.Tensor{batch.Input, batch.Extra[0]}, 3).Squeeze(1).DivScalar(255).To(torch.CPU)
			for i, picture := range shown.Unbind() {
				if i%columns == 0 {
					grid = append(grid, nil)
				}
				row := &grid[len(grid)-1]
				*row = append(*row, tiles.Picture(fmt.Sprintf("the same: %.0f %%", 100*same[i]), tiles.Gray(picture)))
			}
			break
		}
	})
	return tiles.Save(path, columns*2*vg.Inch, vg.Length(len(grid))*1.4*vg.Inch, grid...)
}
