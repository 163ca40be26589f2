//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Package pkgconfig checks that the tools for building gotorch exist: cgo, a C++
// compiler, pkg-config and libtorch. Every cgo package imports it, so it is compiled
// first, and a missing tool is reported only once. The import also makes `go mod vendor`
// copy this directory, because all cgo packages use its .pc files.
package pkgconfig

// #cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
// #cgo CXXFLAGS: -std=c++20
import "C"

// cgo calls the compiler only if Go uses a name from C. It then prints the compiler's
// error.
var _ C.int
