package quant

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
)

// Quantize replaces each Linear in m by one with blocks of type t, and closes it. The
// result is the number of replaced layers. Layers whose input features are no multiple of
// the block size stay, and so do embeddings and heads that share their weights. t must be
// gguf.TypeQ8_0 or gguf.TypeQ4_0.
//
// The error is torch.ErrUnsupported for another type. It panics with ErrType if a field of
// the model cannot hold another layer.
func Quantize(m nn.Module, t gguf.Type) (int, error) {
	const op = "quant.Quantize"
	if !Supported(t) || !t.Quantizable() {
		return 0, fmt.Errorf("%s: %w: %v; Q8_0 and Q4_0 are supported", op, torch.ErrUnsupported, t)
	}
	users := map[*torch.Tensor]int{}
	for _, c := range nn.NamedModules(m) {
		for _, p := range c.Module.ModuleBase().NamedParameters(nn.Recurse(false)) {
			users[p.Tensor]++
		}
	}
	n := 0
	for _, c := range nn.NamedModules(m) {
		old := linearOf(c.Module)
		if old == nil || c.Name == "" || users[old.Weight] > 1 ||
			old.InFeatures%t.BlockSize() != 0 {
			continue
		}
		b, err := quantized(old.Weight, t)
		if err != nil {
			return n, fmt.Errorf("%s: %s: %w", op, c.Name, err)
		}
		bias := old.Bias
		if bias != nil {
			bias = copied(bias)
		}
		m.ModuleBase().SetSubmodule(c.Name, NewLinear(b, t, bias))
		_ = c.Module.ModuleBase().Close()
		n++
	}
	return n, nil
}

// copied returns a copy of t that belongs to the caller.
func copied(t *torch.Tensor) (c *torch.Tensor) {
	torch.Scope(func() { c = torch.Disown(t.Detach().Clone()) })
	return c
}

func linearOf(m nn.Module) *nn.Linear {
	switch l := m.(type) {
	case *models.Linear:
		return l.Linear
	case *nn.Linear:
		return l
	}
	return nil
}

// quantized returns the blocks of a weight (out, in).
func quantized(w *torch.Tensor, t gguf.Type) (*torch.Tensor, error) {
	var values []float32
	torch.NoGrad(func() {
		torch.Scope(func() { values = w.Detach().To(torch.CPU).Float().Contiguous().Reshape(-1).Float32s() })
	})
	b, err := gguf.Quantize(t, values)
	if err != nil {
		return nil, err
	}
	return torch.Disown(torch.FromSlice(b, w.Size(0), int64(len(b))/w.Size(0))), nil
}
