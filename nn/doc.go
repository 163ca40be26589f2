// Package nn provides neural network layers and the base for your own, as torch.nn
// does.
//
// A module is a struct that embeds [Base]. Its fields hold the layers, which are
// registered under Python's names. The constructor calls Init, and Forward goes
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
// Call Forward to run any module, including layers and losses. It runs the hooks,
// frees temporaries, and adds the layer's name to errors.
//
// Parameters and buffers belong to the module, never to a scope. Close on the module
// frees them; otherwise the garbage collector does once the module is unreachable.
// The results of a layer belong to the innermost scope, like any new tensor. The
// layers of this package leave no temporaries behind.
//
// Constructors draw initial values in PyTorch's order, so the same seed gives the same
// parameters. Options at the end of a call stand for Python's keyword arguments and
// have PyTorch's defaults.
//
// Wrong arguments panic with a *torch.Error. In every function of this package, a nil
// option panics with ErrNil. A constructor panics with ErrOutOfMemory if its
// parameters do not fit in memory.
package nn
