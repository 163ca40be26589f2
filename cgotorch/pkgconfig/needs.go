//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Package pkgconfig checks for what gotorch is built with: cgo, a C++ compiler,
// pkg-config and libtorch. Every cgo package imports it, so it is compiled first, and a
// missing tool is reported only once. The import also makes `go mod vendor` copy this
// folder, whose .pc files all of them name.
package pkgconfig

// #cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
// #cgo CXXFLAGS: -std=c++20
import "C"

// cgo calls the compiler only if Go uses a name from C. It then prints the compiler's
// error.
var _ C.int
