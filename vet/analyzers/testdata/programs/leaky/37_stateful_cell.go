// A stateful predictor keeps its hidden state in a field, with the graph of all previous
// steps.
package main

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type predictor struct {
	cell *nn.GRUCell
	head *nn.Linear
	h    *torch.Tensor
}

func (p *predictor) predict(x *torch.Tensor) float64 {
	p.h = p.cell.Forward(x, p.h) // want leak
	return p.head.Forward(p.h).Item()
}

func (p *predictor) close() {
	_ = p.cell.Close()
	_ = p.head.Close()
}

func main() {
	p := &predictor{cell: nn.NewGRUCell(3, 32), head: nn.NewLinear(32, 1)}
	defer p.close()
	p.h = torch.Zeros(torch.Shape{1, 32})
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for now := range ticker.C {
		x := torch.FromSlice([]float32{float32(now.Second()), float32(now.Minute()), 1}, 1, 3)
		fmt.Println(p.predict(x))
	}
}
