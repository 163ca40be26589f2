package claims

import (
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

var detachFrees = Claim{
	Name:     "claim.detach_frees",
	Says:     "Detaching the outputs that are kept frees about twice their data",
	Measured: "bytes that Detach frees for each byte of output",
	Unit:     "x",
	Range:    Range{1.5, 2.5},
	measure: func(s *sheet) {
		x := torch.Randn(float32s(s.pick(4*mib, 64*kib)), torch.RequiresGrad(true))
		defer x.Close()
		// The gradient of Sin needs Sin's input. x is that input for the first operator;
		// each later operator saves one more tensor.
		for _, c := range []struct {
			what string
			ops  int
		}{{"chain of 2 operators", 2}, {"chain of 3 operators", 3}, {"chain of 9 operators", 9}} {
			s.keeping(c.what, func() *torch.Tensor { return chain(x, c.ops) })
		}
		batch := s.pick(256, 16)
		mlp := layersMLP(batch)
		s.keeping(mlp.name, func() *torch.Tensor { return mlp.forward(mlp.x) })
		mlp.Close()
		cnn := convNet(s.pick(64, 4))
		s.keeping(cnn.name, func() *torch.Tensor { return cnn.forward(cnn.x) })
		cnn.Close()
	},
}

// chain applies Sin repeatedly, and frees each temporary as soon as the next one exists.
func chain(x *torch.Tensor, ops int) *torch.Tensor {
	y := x.Sin()
	for range ops - 1 {
		next := y.Sin()
		y.Close()
		y = next
	}
	return y
}

// keeping counts the additional bytes of outputs that are kept with their graphs, and the
// bytes of the same outputs after Detach.
func (s *sheet) keeping(what string, forward func() *torch.Tensor) {
	const outputs = 4
	memory.Clear()
	before := memory.Requested(torch.CPU)
	var kept []*torch.Tensor
	var data int64
	for range outputs {
		y := forward()
		data += y.NBytes()
		kept = append(kept, y)
	}
	attached := memory.Requested(torch.CPU) - before
	for i, y := range kept {
		kept[i] = y.Detach()
		y.Close() // y is the last reference to its graph.
	}
	detached := memory.Requested(torch.CPU) - before
	closeAll(kept)

	s.judge(what, float64(attached-detached)/float64(data))
	s.note(what+": kept with the graph", float64(attached), "bytes")
	s.note(what+": kept detached", float64(detached), "bytes")
	s.note(what+": data of the outputs", float64(data), "bytes")
}
