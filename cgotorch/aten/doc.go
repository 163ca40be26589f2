// Package aten binds every operator of libtorch to a Go function over raw
// handles. Apart from this file and support.go it is generated: one C++
// function, one prototype and one Go function for each overload. COVERAGE.md
// lists the few that are left out. Programs use package torch, or torch/aten
// for operators that it does not curate.
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
// The package imports nothing but abi, because rebuilding it takes a minute of
// C++: whatever can live elsewhere does.
package aten
