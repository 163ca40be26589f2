// A service pads texts to a few lengths, with one graph for each length.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type service struct {
	model  *nn.Sequential
	graphs [4]*torch.Graph
	inputs [4]*torch.Tensor
}

func newService() *service {
	s := &service{model: nn.NewSequential(nn.NewLinear(1, 8), nn.NewTanh())}
	for i := range s.graphs {
		x := torch.Zeros(torch.Shape{int64(16 << i), 1})
		s.inputs[i] = x
		s.graphs[i] = torch.Capture(func() []*torch.Tensor {
			return []*torch.Tensor{s.model.Forward(x)}
		}, torch.Inputs{x})
	}
	return s
}

func (s *service) answer(text []float32) float64 {
	i := 0
	for i < 3 && len(text) > 16<<i {
		i++
	}
	padded := make([]float32, 16<<i)
	copy(padded, text)
	x := torch.FromSlice(padded, int64(len(padded)), 1)
	defer x.Close()
	return s.graphs[i].Call(x)[0].Mean().Item()
}

func main() {
	s := newService()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		values := make([]float32, len(in.Bytes()))
		for i, b := range in.Bytes() {
			values[i] = float32(b)
		}
		fmt.Println(s.answer(values))
	}
}
