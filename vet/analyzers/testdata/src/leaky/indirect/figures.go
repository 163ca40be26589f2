package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

type figure struct{ data *torch.Tensor }

var open = map[int]*figure{}

func draw(i int) {
	open[i] = &figure{torch.Keep(torch.Ones(torch.Shape{100}))} // leak: growing
}

func figures(n int) {
	for i := range n {
		torch.Scope(func() { draw(i) })
	}
}
