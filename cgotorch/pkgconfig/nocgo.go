//go:build !cgo && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pkgconfig

// Go leaves cgo out where CGO_ENABLED is 0, where it finds no C compiler, and
// when it compiles for another machine. No constant, which the compiler would print abridged.
var _ uint = []byte("gotorch needs cgo: install g++ and do not set CGO_ENABLED=0; to build for another machine, see https://github.com/gotorch/gotorch/blob/main/docs/platforms.md")
