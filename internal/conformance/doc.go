// Package conformance holds the library to PyTorch's own test databases: the
// samples of torch.testing._internal (modules, optimizers, operators). A Python
// program (record/) writes down what PyTorch does with each sample; the tests here
// do the same in Go and compare, bit for bit.
//
//	make conformance                            # everything
//	make conformance ARGS='modules Conv2d GELU' # some members, in seconds
//	make conformance ARGS='ops linalg.norm'     # the operators that some samples call
//
// GOTORCH_PYTHON names a Python with torch 2.11.0 to use in place of build/venv.
// A small part of the recordings is in testdata, so that make test runs without
// Python; docs/conformance.md has the figures.
//
// # How to add a module
//
// A file modules_FAMILY_test.go has the builders of a family, by the name of the
// module in PyTorch:
//
//	var _ = modules(map[string]builder{
//		"Conv2d": func(a *args) nn.Module {
//			return nn.NewConv2d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"),
//				options[nn.ConvOption](a, nn.Stride(0), nn.Strides{}, nn.PaddingWord(""), nn.Padding(0), nn.Paddings{})...)
//		},
//	})
//
// args has the arguments that Python's constructor was given, by name, whether they
// were given by position or by keyword. options makes options of those among them
// that have the name of a prototype's type (Strides stands for stride, as does
// Stride: which one is taken follows from the value). An option that is no number,
// word or bool goes the long way: if t := a.Tensor("weight"); t != nil {...}. Every
// argument has to be read; one that is left over fails the sample, and a.Skip says
// why a sample cannot be.
//
// Forward is called by position with what Python's forward was given, as long as
// these are tensors. A module that takes or returns anything else has an entry in
// forwards beside its builder:
//
//	var _ = forwards(map[string]forward{
//		"LSTMCell": func(m nn.Module, a *args) []*torch.Tensor {
//			hx := a.Tensors("hx")
//			h, c := m.(*nn.LSTMCell).Forward(a.Tensor("input"), hx[0], hx[1])
//			return []*torch.Tensor{h, c}
//		},
//	})
//
// A module that is not offered has its reason in reasons_test.go. Optimizers are the
// same with optimizers(map[string]optimizerBuilder{...}).
package conformance
