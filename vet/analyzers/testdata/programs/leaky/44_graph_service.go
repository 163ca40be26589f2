// A service captures a graph for every text length, and keeps all graphs.
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
	graphs map[int64]*torch.Graph
}

func (s *service) graph(x *torch.Tensor) *torch.Graph {
	n := x.Size(0)
	if g, ok := s.graphs[n]; ok {
		return g
	}
	g := torch.Capture(func() []*torch.Tensor {
		return []*torch.Tensor{s.model.Forward(x)}
	}, torch.Inputs{x})
	s.graphs[n] = g // want leak
	return g
}

func (s *service) answer(text []float32) float64 {
	x := torch.FromSlice(text, int64(len(text)), 1)
	defer x.Close()
	return s.graph(x).Call(x)[0].Mean().Item()
}

func main() {
	s := &service{model: nn.NewSequential(nn.NewLinear(1, 8), nn.NewTanh()), graphs: map[int64]*torch.Graph{}}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		values := make([]float32, len(in.Bytes())+1)
		for i, b := range in.Bytes() {
			values[i] = float32(b)
		}
		fmt.Println(s.answer(values))
	}
}
