// Command stream_state scores a stream of sensor readings with a recurrent cell. The
// larger the error of its prediction, the more unusual the reading.
//
// Leaky: the hidden state is carried from reading to reading without NoGrad or Detach.
// The state is one tensor, but its graph reaches back to the first reading. Each step
// adds the nodes and saved activations of one cell, and nothing ever detaches them.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const (
	features = 4
	hidden   = 16
	readings = 300
)

// read returns the next reading of the sensors, (1, features).
func read(t int) *torch.Tensor {
	x := torch.Randn(torch.Shape{1, features}).MulScalar(0.1)
	if t%97 == 96 {
		x.AddScalar_(3) // something happened
	}
	return x
}

func main() {
	torch.ManualSeed(2)
	cell := nn.NewGRUCell(features, hidden)
	defer cell.Close()
	head := nn.NewLinear(hidden, features)
	defer head.Close()
	cell.Eval()
	head.Eval()

	h := torch.Zeros(torch.Shape{1, hidden})
	alarms, mean := 0, 0.0
	for t := range readings {
		torch.Scope(func() {
			x := read(t)
			strange := F.MSELoss(head.Forward(h), x).Item()
			if t > 10 && strange > 10*mean {
				alarms++
				fmt.Printf("reading %d is strange: %.2f, usually %.2f\n", t, strange, mean)
			}
			mean += 0.05 * (strange - mean)

			next := torch.Keep(cell.Forward(x, h)) // want leak
			_ = h.Close()
			h = next
		})
	}
	fmt.Println("alarms:", alarms)
	_ = h.Close()
}
