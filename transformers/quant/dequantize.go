package quant

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Dequantize replaces each quantised Linear and Embedding in m by one with float32 weights,
// and closes it. The result is the number of replaced layers. The new weights require
// gradients. Layers that had the same blocks share their weight, as a head that is tied to
// the embedding does.
//
// A weight then needs 4 bytes instead of 4 to 9 bits, and can be trained, and adapters can be
// merged into it. Call Dequantize before package peft adds adapters. It panics with ErrType,
// and leaves the layer, if a field of the model cannot hold another layer. Follows
// PreTrainedModel.dequantize.
func Dequantize(m nn.Module) int {
	weights := map[*torch.Tensor]*torch.Tensor{} // by the blocks
	var unused []nn.Module
	defer func() { // last, because layers may share their blocks
		for _, l := range unused {
			_ = l.ModuleBase().Close()
		}
	}()
	n := 0
	for _, c := range nn.NamedModules(m) {
		if c.Name == "" {
			continue
		}
		var plain nn.Module
		switch old := c.Module.(type) {
		case *Linear:
			plain = plainLinear(old, old.m.weight(weights))
		case *Embedding:
			plain = nn.NewEmbeddingFromPretrained(old.m.weight(weights), nn.Freeze(false))
		}
		if plain == nil {
			continue
		}
		plain.ModuleBase().SetTraining(c.Module.ModuleBase().Training())
		unused = append(unused, plain) // if SetSubmodule panics
		m.ModuleBase().SetSubmodule(c.Name, plain)
		unused[len(unused)-1] = c.Module
		n++
	}
	return n
}

// weight returns the weight of the blocks, the same one for the same blocks.
func (m matrix) weight(weights map[*torch.Tensor]*torch.Tensor) *torch.Tensor {
	w := weights[m.blocks]
	if w == nil {
		torch.Scope(func() { w = torch.Disown(m.dequantize()) })
		weights[m.blocks] = w
	}
	return w
}

func plainLinear(old *Linear, weight *torch.Tensor) *models.Linear {
	l := &models.Linear{Linear: nn.NewLinear(old.InFeatures, old.OutFeatures,
		nn.Bias(old.Bias != nil), nn.Device(torch.Meta))}
	l.Init(l, nn.TypeName("Linear"))
	for _, empty := range l.Parameters() {
		defer func() { _ = empty.Close() }()
	}
	l.Weight = l.RegisterParameter("weight", weight)
	if old.Bias != nil {
		l.Bias = l.RegisterParameter("bias", copied(old.Bias))
	}
	return l
}
