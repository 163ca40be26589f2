// Package nn has layers, and what you need to write your own, as torch.nn.
//
// A module is a struct that embeds [Base]. Its fields hold the layers, which are
// registered under Python's names; its constructor calls Init, and its Forward goes
// through Call:
//
//	type Net struct {
//		nn.Base
//		conv *nn.Conv2d
//		fc   *nn.Linear
//	}
//
//	func NewNet() *Net {
//		n := &Net{
//			conv: nn.NewConv2d(1, 32, 3), // self.conv = nn.Conv2d(1, 32, 3)
//			fc:   nn.NewLinear(32*13*13, 10),
//		}
//		n.Init(n) // super().__init__()
//		return n
//	}
//
//	func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
//		return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
//			x = F.MaxPool2d(F.ReLU(n.conv.Forward(x)), 2)
//			return n.fc.Forward(x.Flatten(1))
//		})
//	}
//
// Forward is the one way to run a module, including layers and losses. It runs
// the hooks, frees temporaries, and makes an error name the layer.
//
// Parameters and buffers belong to the module, never to a scope. Close on the
// module frees them; otherwise the collector does, once the module is
// unreachable. What a layer returns belongs to the innermost scope, like any
// new tensor. The layers of this package leave no temporaries behind.
//
// Constructors draw initial values in PyTorch's order, so the same seed gives
// the same parameters. What Python passes by keyword is an option at the end of
// a call, with PyTorch's default. Wrong arguments panic with a *torch.Error.
package nn
