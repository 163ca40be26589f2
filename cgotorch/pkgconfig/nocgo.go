//go:build !cgo

package pkgconfig

// Go leaves cgo out where CGO_ENABLED is 0, where it finds no C compiler, and
// when it compiles for another system.
const _ uint = "gotorch needs cgo: install g++ and do not set CGO_ENABLED=0"
