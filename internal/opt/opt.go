// Package opt contains the options shared by nn and nn/functional: small values with
// PyTorch's names, such as Stride(2).
//
// Each family of functions has an interface here. Interfaces for functions in package
// functional end in Func. Interfaces for layers in package nn end in Layer; they are
// separate because layers accept options that functions do not. A directive lists the
// options of the family, and internal/cmd/genoptions writes the methods:
//
//	//gotorch:options Stride Strides Padding Paddings Dilation Dilations CeilMode
//	MaxPoolFunc interface{ maxPoolFunc() }
//
// The two packages export the types and interfaces under their own names:
//
//	// Stride is the step between windows. The default is 1.
//	type Stride = opt.Stride
//
//	// A MaxPoolOption is an option of max pooling.
//	type MaxPoolOption interface{ opt.MaxPoolFunc }
//
// To add an option, declare its type, add it to the directives of its families, export it
// from both packages, and add a case to the reader of each family. To add a family,
// declare its interface with a directive, export the interface, and write one reader.
// Then run make generate.
//
// [Read] to [Read4] read a family of up to four options, if a value is all that each
// option sets. Any other reader is one loop with a type switch. It keeps no reference to an
// option, so options stay on the caller's stack:
//
//	p, training := opt.Read2(op, opts, P(0.5), Training(true))
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
// If a reader keeps one option, the compiler moves all of them to the heap. So a reader
// returns a string instead of storing it through a pointer, and reads a tensor with the
// method Tensor. Its errors quote a string with strconv.Quote and print a copy of a list.
package opt

import (
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// Unknown returns the error for an option that is nil or of an unknown type, such as
// a pointer to an option.
func Unknown(op string, o any) *torch.Error {
	return torch.BadOption(op, o)
}

// CheckDevice panics with ErrDevice if dev, the value of op's option Device, does not
// exist.
func CheckDevice(op string, dev torch.Device) {
	if err := MissingDevice(op, dev); err != nil {
		panic(err)
	}
}

// MissingDevice is like [CheckDevice], for an op that reads a file. It returns the error
// instead of panicking: in this case a device that does not exist is not a programming
// mistake.
func MissingDevice(op string, dev torch.Device) error {
	if err := dev.Check(); err != nil {
		e := err.(*torch.Error) //nolint:errorlint // Check returns no other
		return torch.NewError(op, torch.ErrDevice, "Device", e.Message)
	}
	return nil
}

func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return reflect.TypeOf(v).String()
}
