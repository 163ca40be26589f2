//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Package pkgconfig finds out whether there is what gotorch is built with: cgo,
// a C++ compiler, pkg-config and libtorch. Every cgo package imports it, so that
// it is compiled before all of them and what is missing is said once. Importing it
// also makes `go mod vendor` copy this folder, whose .pc files they all name.
package pkgconfig

// #cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
// #cgo CXXFLAGS: -std=c++20
import "C"

// A name from C makes cgo itself ask the compiler, whose answers it prints as
// they are wanted here: the error and no more.
var _ C.int
