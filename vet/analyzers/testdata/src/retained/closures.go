package retained

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A closure holds the graph of the loss that it uses.
func closures(n int, model nn.Layer, x *torch.Tensor) {
	var later, numbers []func()
	for range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		value := loss.Item()
		later = append(later, func() { fmt.Println(loss.Item()) }) // want `appended in a training loop`
		numbers = append(numbers, func() { fmt.Println(value) })
	}
	for i := range later {
		later[i]()
		numbers[i]()
	}
}

// Each step runs the backward pass of the sum, and the sum is never reset.
func total(n int, model nn.Layer, x *torch.Tensor) {
	var all, some *torch.Tensor
	for i := range n {
		loss := model.Forward(x).Sum()
		if all == nil {
			all = loss
		} else {
			all = all.Add(loss) // want `added up across iterations`
		}
		all.Backward(torch.RetainGraph(true))
		if some == nil {
			some = loss
		} else {
			some = some.Add(loss)
		}
		if i%4 == 3 {
			some.Backward()
			some = nil
		}
	}
}
