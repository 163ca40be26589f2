package urdf

import (
	"errors"
	"fmt"
)

// The kinds of [Error], for errors.Is.
var (
	ErrSyntax      = errors.New("not well-formed XML")
	ErrElement     = errors.New("not a URDF element") // or an element with a missing or repeated part
	ErrValue       = errors.New("bad value")
	ErrStructure   = errors.New("not a tree of links")
	ErrUnsupported = errors.New("not supported")
	ErrTooLarge    = errors.New("too large")
)

// Error is the error for a file that does not describe a robot. Errors from the reader
// are returned unchanged.
type Error struct {
	Kind    error
	Line    int    // 0 if the error is about the whole file
	Element string // such as `<joint name="elbow">`, "" outside of elements
	Detail  string
}

func (e *Error) Error() string {
	text := "urdf: "
	if e.Line > 0 {
		text += fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Element != "" {
		text += e.Element + ": "
	}
	return text + e.Kind.Error() + ": " + e.Detail
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
