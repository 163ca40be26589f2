//go:build !cgo && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pkgconfig

// Go leaves cgo out where CGO_ENABLED is 0, where it finds no C compiler, and
// when it compiles for another machine.
const _ uint = "gotorch needs cgo: install g++ and do not set CGO_ENABLED=0"
