// A function returns the next state in a struct, and the loop passes it on with its
// graph.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type state struct{ h, c *torch.Tensor }

func advance(cell *nn.LSTMCell, x *torch.Tensor, s state) state {
	h, c := cell.Forward(x, s.h, s.c)
	return state{h: h, c: c}
}

func main() {
	cell := nn.NewLSTMCell(2, 16)
	defer cell.Close()
	s := state{torch.Zeros(torch.Shape{1, 16}), torch.Zeros(torch.Shape{1, 16})}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line := in.Text()
		x := torch.FromSlice([]float32{float32(len(line)), 1}, 1, 2)
		s = advance(cell, x, s) // want leak
		if s.h.Max().Item() > 0.9 {
			fmt.Println("alarm:", line)
		}
	}
}
