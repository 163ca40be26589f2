package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
)

// The kinds of errors. errors.Is finds them in the errors of this package.
var (
	// ErrSyntax means that a template is no valid Jinja.
	ErrSyntax = errors.New("invalid template")
	// ErrUnsupported means that a template uses a part of Jinja that this package lacks.
	ErrUnsupported = errors.New("not supported")
	// ErrRender means that a template failed, for example at an undefined value.
	ErrRender = errors.New("template failed")
	// ErrRaised means that a template refused the messages with raise_exception.
	ErrRaised = errors.New("messages refused by the template")
	// ErrValue means that an argument or an option has an invalid value.
	ErrValue = errors.New("invalid value")
	// ErrLimit means that a template is too large, or needs too much time or memory.
	ErrLimit = errors.New("limit exceeded")
)

// Error is the type of all errors of this package.
type Error struct {
	// Kind is one of the kinds of errors, such as ErrSyntax.
	Kind error
	// Line is the line of the template, or 0.
	Line int
	// Msg says what is wrong. With ErrRaised, it is the message of the template. It ends with
	// an ellipsis after 4,096 bytes.
	Msg string
}

// Error returns the message, with characters that are not printable as escapes.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("chat: line %d of the template: %s", e.Line, plain.Text(e.Msg))
	}
	return "chat: " + plain.Text(e.Msg)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// fail ends parsing or rendering. Parse and Render return the error.
func fail(kind error, line int, format string, args ...any) {
	panic(&Error{Kind: kind, Line: line, Msg: short(fmt.Sprintf(format, args...), maxMessage)})
}

// maxMessage is the greatest length of a message, and maxName of a name in a message.
const (
	maxMessage = 4096
	maxName    = 100
)

// short cuts a text to at most n bytes and an ellipsis.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// caught stores the error of fail in *err.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}
