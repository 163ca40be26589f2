// Package conformance compares the library with PyTorch's own test databases: the samples
// of torch.testing._internal for modules, optimizers and operators. A Python program
// (record/) records what PyTorch does with each sample. The tests here do the same in Go
// and compare the results bit for bit.
//
//	make test MODE=conformance                            # everything
//	make test MODE=conformance ARGS='modules Conv2d GELU' # some members, in seconds
//	make test MODE=conformance ARGS='ops linalg.norm'     # the operators that some samples call
//
// GOTORCH_PYTHON names a Python with torch 2.11.0 to use instead of build/venv. A small
// part of the recordings is in testdata, so that make test does not need Python.
// docs/conformance.md has the results.
//
// # How to add a module
//
// A file modules_FAMILY_test.go has the builders of a family, by the name of the module
// in PyTorch:
//
//	var _ = modules(map[string]builder{
//		"Conv2d": func(a *args) nn.Module {
//			return nn.NewConv2d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"),
//				options[nn.ConvOption](a, nn.Stride(0), nn.Strides{}, nn.PaddingWord(""), nn.Padding(0),
//					nn.Paddings{})...)
//		},
//	})
//
// args contains the arguments of Python's constructor by name, whether they were
// positional or keyword arguments. options converts each argument whose name matches the
// type of a prototype. Both Strides and Stride stand for stride, and the value decides
// which is used. Handle an option that is not a number, word or bool explicitly: if t :=
// a.Tensor("weight"); t != nil {...}. A sample fails if an argument is not read. a.Skip
// gives the reason why a sample cannot run.
//
// Forward is called with the positional arguments of Python's forward if these are
// tensors. A module with other arguments or results has an entry in forwards next to its
// builder:
//
//	var _ = forwards(map[string]forward{
//		"LSTMCell": func(m nn.Module, a *args) []*torch.Tensor {
//			hx := a.Tensors("hx")
//			h, c := m.(*nn.LSTMCell).Forward(a.Tensor("input"), hx[0], hx[1])
//			return []*torch.Tensor{h, c}
//		},
//	})
//
// A module that the library does not have needs a reason in reasons_test.go. Optimizers
// use optimizers(map[string]optimizerBuilder{...}) in the same way.
package conformance
