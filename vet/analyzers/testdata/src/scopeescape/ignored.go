package scopeescape

import "github.com/gotorch/gotorch/torch"

func intended(x *torch.Tensor) float64 {
	var y, z *torch.Tensor
	torch.Scope(func() {
		y = x.Add(x) //torchvet:ignore scopeescape the panic is what is looked at
		z = x.Add(x) // want `freed at the end of its scope`
	})
	return y.Item() + z.Item()
}
