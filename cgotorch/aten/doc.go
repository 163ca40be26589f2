// Package aten binds every operator of libtorch to a Go function over raw
// handles. COVERAGE.md lists the few that are left out. Programs use package
// torch, or torch/aten for operators that it does not curate.
//
// The Go functions are generated, and take one of two ways. The operators that the
// library itself calls have a C++ function each (ops_NN.cpp), which reads the
// arguments in place. All others share one call: their arguments are written into an
// array of words, and boxed.cpp hands them to libtorch's dispatcher, which finds the
// operator by its name. That costs a small operator a tenth more, and no C++ to
// compile: with a C++ function for every operator the first build took two minutes.
// Both give the same results, gradients and errors.
//
// The first parameter of each function is the caller's thread state. Handles
// that go in are borrowed for the call; those that come out are new references
// that the caller owns. An operator that writes to an argument, in place or
// through an out parameter, returns a status alone: its result is the argument.
//
// Absent values: a zero Tensor, a zero Generator, a nil pointer and a Scalar of
// kind abi.ScalarNone are None, and so is a nil slice where the schema allows
// None (elsewhere it is the empty list). Types (dtype, layout, memory format)
// are libtorch's numbers, -1 for None. A device is type<<8 | index+1, where
// index+1 is zero for the current device; -1 is None.
//
// The package imports nothing but abi, because rebuilding it takes many seconds of
// C++: whatever can live elsewhere does.
package aten
