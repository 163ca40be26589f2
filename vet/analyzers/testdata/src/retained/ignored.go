package retained

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func intended(n int, m nn.Layer, x *torch.Tensor) []*torch.Tensor {
	var graphs []*torch.Tensor
	for range n {
		loss := m.Forward(x)
		loss.Backward()
		//torchvet:ignore retained the growth is what is looked at
		graphs = append(graphs, loss)
		graphs = append(graphs, loss) // want `appended in a training loop`
	}
	return graphs
}
