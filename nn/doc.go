// Package nn holds layers and what it takes to write one, as torch.nn.
//
// A module is a struct that embeds [Base], makes its children and parameters
// in a constructor, and registers them under their names:
//
//	type Net struct {
//		nn.Base
//		conv *nn.Conv2d
//		fc   *nn.Linear
//	}
//
//	func NewNet() *Net {
//		n := &Net{conv: nn.NewConv2d(1, 32, 3), fc: nn.NewLinear(32*13*13, 10)}
//		n.Register("conv", n.conv).Register("fc", n.fc)
//		return n
//	}
//
//	func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
//		return torch.Tidy(func() *torch.Tensor {
//			x := F.MaxPool2d(F.ReLU(n.conv.Forward(x)), 2)
//			return n.fc.Forward(x.Flatten(1, -1))
//		})
//	}
//
// Parameters and buffers belong to the module, never to a scope: Close on the
// module frees them, or the collector does once the module is unreachable.
// What a layer returns belongs to the innermost scope, as any new tensor, and
// the layers of this package leave no temporary behind.
//
// Constructors draw initial values in PyTorch's order, so that the same seed
// gives the same parameters. Options structs mean PyTorch's defaults where
// their fields are zero. Wrong arguments panic with a *torch.Error.
package nn
