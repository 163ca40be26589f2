// Package aten has every operator of libtorch as a function on tensors, including those
// that package torch does not offer. All files except this one and support.go are
// generated. If package torch has a method for an operator, prefer the method: it fills
// in defaults and reads like PyTorch.
//
//	y := aten.AddTensor(x, other, nil)             // aten::add.Tensor, alpha=1
//	values, indices := aten.MaxDim(x, 1, false)    // aten::max.dim
//	aten.Add_Scalar(x, 2, nil)                     // aten::add_.Scalar, in place
//	aten.MmOut(out, a, b)                          // aten::mm.out
//
// # Names
//
// A function is named after its operator and overload: the words are capitalized and
// joined, and a trailing underscore stays. Abbreviations and some compounds are spelled
// as in package torch: ReLU, MatMul, IsNaN. A leading underscore becomes Under, and a
// name between double underscores begins with Dunder. The comment of each function is the
// operator's schema.
//
// # Arguments and results
//
// Arguments have the schema's order, except that out, the tensors for the results, comes
// first. Only this package has the out variants.
//
//   - Scalar is any Go number, bool or complex; nil is the schema's default, or
//     None for an optional one.
//   - Tensor? is nil for None; so are pointers (*int64, *bool, *string,
//     *torch.Device) and *torch.Generator.
//   - A list that may be None is None if nil and an empty list if it is empty.
//   - dtype, layout and memory format are the schema's default if zero.
//   - Operators that write to an argument, in place or through out, return the
//     same *torch.Tensor. All others return new Tensors, with the same owners
//     as in package torch. An undefined result is nil.
//
// Defaults of other types are not filled in; see the schema.
//
// # Errors
//
// The functions panic with a *torch.Error as the methods of package torch do, even if the
// installed libtorch lacks the operator.
package aten
