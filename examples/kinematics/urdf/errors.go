package urdf

import (
	"errors"
	"fmt"
)

// Kinds of an [Error], for errors.Is.
var (
	ErrSyntax      = errors.New("not well-formed XML")
	ErrElement     = errors.New("not a URDF element") // or one that lacks a part, or has it twice
	ErrValue       = errors.New("bad value")
	ErrStructure   = errors.New("not a tree of links")
	ErrUnsupported = errors.New("not supported")
	ErrTooLarge    = errors.New("too large")
)

// Error is a file that does not describe a robot. What the reader itself reports is no
// Error, and is returned as it is.
type Error struct {
	Kind    error
	Line    int    // where it is; 0 if it is the file as a whole
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
