//go:build !cgo && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pkgconfig

// Go disables cgo if CGO_ENABLED is 0, if it finds no C compiler, and when it
// cross-compiles. The text is converted to bytes because the compiler would shorten a
// constant in its error message.
var _ uint = []byte("gotorch needs cgo: install g++ and do not set CGO_ENABLED=0; to build for another machine, see https://github.com/gotorch/gotorch/blob/main/docs/platforms.md")
