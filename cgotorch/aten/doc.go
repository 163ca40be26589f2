// Package aten calls every operator of libtorch on raw handles. COVERAGE.md lists the few
// exceptions. Programs use package torch, or torch/aten for operators that torch does not
// have.
//
// There are two kinds of calls. Operators that the library itself uses have their own C++
// function (ops_NN.cpp), which reads the arguments in place, and a generated Go function.
// All other operators share one call, [Boxed]: the caller writes the arguments to an
// array of words (words.go), and boxed.cpp passes them to libtorch's dispatcher, which
// finds the operator by name. That makes a small operator about 10 % slower, but needs no
// C++ code per operator. If every operator had a C++ function, the first build would take
// two minutes. Results, gradients and errors are the same. The generated functions of
// torch/aten write these words themselves. A few boxed operators that other packages call
// have a Go function here too (ops_boxed.go).
//
// The first parameter of each function is the caller's thread state. Handles passed in
// are borrowed for the call. Returned handles are new references that the caller owns. An
// operator that writes to an argument, in place or as an out parameter, returns only a
// status: its result is the argument.
//
// Absent values: a zero Tensor, a zero Generator, a nil pointer and a Scalar of kind
// abi.ScalarNone mean None. A nil slice means None if the schema allows it, and otherwise
// the empty list. Types (dtype, layout, memory format) are libtorch's numbers, or -1 for
// None. A device is type<<8 | index+1, where index+1 is zero for the current device; -1
// means None.
//
// The package imports only abi, because rebuilding it takes many seconds of C++
// compilation. Put code elsewhere if possible.
package aten
