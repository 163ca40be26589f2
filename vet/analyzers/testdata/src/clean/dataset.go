package clean

import (
	"github.com/gotorch/gotorch/torch"
)

type images struct {
	names  []string
	pixels []*torch.Tensor
}

func (d *images) load() {
	for range d.names {
		d.pixels = append(d.pixels, torch.Rand(28, 28))
	}
}

func (d *images) at(i int) *torch.Tensor { return d.pixels[i] }
