package summary

import (
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// multAdds counts the multiplications by the module's own parameters in one call.
func multAdds(m nn.Module, in, out []*torch.Tensor) int64 {
	b := m.ModuleBase()
	params := b.Parameters(nn.Recurse(false))
	if len(params) == 0 || len(out) == 0 || out[0] == nil || len(in) == 0 || in[0] == nil {
		return 0
	}
	y, x := out[0], in[0]
	kind := b.TypeName()
	switch {
	case strings.Contains(kind, "Embedding"):
		return 0 // an embedding copies rows and multiplies nothing
	case strings.Contains(kind, "ConvTranspose"):
		return perPosition(params, y, positions(x, params[0].Dim()))
	case strings.Contains(kind, "Conv"):
		return perPosition(params, y, positions(y, params[0].Dim()))
	}
	last := int64(1)
	if y.Dim() > 0 {
		last = max(y.Size(-1), 1)
	}
	return perPosition(params, y, y.Numel()/last)
}

// positions returns the number of elements that each channel of t has in the whole batch.
// dims is the number of dimensions of a batch; t may be a single sample, with one
// dimension fewer.
func positions(t *torch.Tensor, dims int64) int64 {
	channel := t.Dim() - dims + 1
	if channel < 0 || channel >= t.Dim() || t.Size(channel) == 0 {
		return 0
	}
	return t.Numel() / t.Size(channel)
}

// perPosition adds up the multiplications by params. Each element of a weight, a tensor with two or
// more dimensions, counts once per position. A vector, such as a bias, counts once per element of
// the result y.
func perPosition(params []*torch.Tensor, y *torch.Tensor, positions int64) int64 {
	total := int64(0)
	for _, p := range params {
		if p.Dim() > 1 {
			total += p.Numel() * positions
		} else {
			total += y.Numel()
		}
	}
	return total
}
