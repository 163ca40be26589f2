package carried

import "github.com/gotorch/gotorch/torch"

// The same tensors are used again and again, so there are very many ways through the calls.
func wide(n int, x, h *torch.Tensor) {
	for range n {
		y0 := torch.Cat([]*torch.Tensor{x, x, x, x, x, x, x, x, x, x, x, x})
		y1 := torch.Cat([]*torch.Tensor{y0, y0, y0, y0, y0, y0, y0, y0, y0, y0, y0, y0})
		y2 := torch.Cat([]*torch.Tensor{y1, y1, y1, y1, y1, y1, y1, y1, y1, y1, y1, y1})
		y3 := torch.Cat([]*torch.Tensor{y2, y2, y2, y2, y2, y2, y2, y2, y2, y2, y2, y2})
		y4 := torch.Cat([]*torch.Tensor{y3, y3, y3, y3, y3, y3, y3, y3, y3, y3, y3, y3})
		y5 := torch.Cat([]*torch.Tensor{y4, y4, y4, y4, y4, y4, y4, y4, y4, y4, y4, y4})
		y6 := torch.Cat([]*torch.Tensor{y5, y5, y5, y5, y5, y5, y5, y5, y5, y5, y5, y5})
		y7 := torch.Cat([]*torch.Tensor{y6, y6, y6, y6, y6, y6, y6, y6, y6, y6, y6, y6})
		y8 := torch.Cat([]*torch.Tensor{y7, y7, y7, y7, y7, y7, y7, y7, y7, y7, y7, y7})
		y9 := torch.Cat([]*torch.Tensor{y8, y8, y8, y8, y8, y8, y8, y8, y8, y8, y8, y8})
		y10 := torch.Cat([]*torch.Tensor{y9, y9, y9, y9, y9, y9, y9, y9, y9, y9, y9, y9})
		y11 := torch.Cat([]*torch.Tensor{y10, y10, y10, y10, y10, y10, y10, y10, y10, y10, y10, y10})
		h = y11
	}
	_ = h.Sum().Item()
}
