package scopeescape

import "github.com/gotorch/gotorch/torch"

type holder struct{ t *torch.Tensor }

func escapes(h *holder) {
	var x, y *torch.Tensor
	torch.Scope(func() {
		x = torch.Rand(2) // want `this tensor is freed at the end of its scope`
		h.t = x.Sum()     // want `this tensor is freed at the end of its scope`
		torch.Scope(func() {
			y = torch.Rand(2) // want `this tensor is freed at the end of its scope`
		})
	})
	_ = x.Add(y).Add(h.t)
}
