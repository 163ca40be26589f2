// Package opt holds the options that nn and nn/functional share: small values
// under PyTorch's names, such as Stride(2).
//
// Each family of functions has an interface here. The interface of functions in package
// functional ends in Func, that of the layers in package nn in Layer, since a layer takes
// options that a function does not. A directive lists the options of the family, and
// internal/cmd/genoptions writes the methods that make them its options:
//
//	//gotorch:options Stride Strides Padding Paddings Dilation Dilations CeilMode
//	MaxPoolFunc interface{ maxPoolFunc() }
//
// The packages give the types names of their own and make an interface of each family:
//
//	// Stride is the step between windows; 1 without it.
//	type Stride = opt.Stride
//
//	// A MaxPoolOption says how a maximum pooling is done.
//	type MaxPoolOption interface{ opt.MaxPoolFunc }
//
// To add an option, declare its type, add it to the directives of its families, name it in
// both packages, and add a case to the reader of each family. To add a family, declare its
// interface with a directive, the interface in the package that has it, and one reader. Then
// run make generate.
//
// A reader is one loop with a type switch that keeps nothing of what it is
// given, so that options stay on the caller's stack:
//
//	for _, o := range opts {
//		switch o := o.(type) {
//		case opt.Stride:
//			s.Stride.Set(n, int64(o))
//		default:
//			panic(opt.Unknown(op, o))
//		}
//	}
//
// One that is kept takes all of them to the heap. So an error quotes a string
// with strconv.Quote and prints a copy of a list, a string is returned and not
// stored through a pointer, and a tensor is taken with its method Tensor.
package opt

import (
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// Unknown returns the error for an option that is nil or of a type that the
// reader does not know, which a pointer to an option is.
func Unknown(op string, o any) *torch.Error {
	return torch.BadOption(op, o)
}

// CheckDevice panics with ErrDevice for a device that op was given as an option
// and that is not there.
func CheckDevice(op string, dev torch.Device) {
	if err := MissingDevice(op, dev); err != nil {
		panic(err)
	}
}

// MissingDevice is [CheckDevice] for an op that reads a file: the device that a program was
// told to load to is no mistake of the program, so it is an error.
func MissingDevice(op string, dev torch.Device) error {
	if err := dev.Check(); err != nil {
		return torch.NewError(op, torch.ErrDevice, "Device", err.(*torch.Error).Message) //nolint:errorlint // Check returns no other
	}
	return nil
}

func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return reflect.TypeOf(v).String()
}
