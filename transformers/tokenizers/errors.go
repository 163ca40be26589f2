package tokenizers

import (
	"errors"
	"fmt"
)

// The kinds of errors. errors.Is finds them in the errors of this package.
var (
	// ErrFormat means that a file is damaged.
	ErrFormat = errors.New("invalid tokenizer file")
	// ErrUnsupported means that a file uses a component or a setting that this package lacks.
	ErrUnsupported = errors.New("not supported")
	// ErrValue means that an argument or an option has an invalid value.
	ErrValue = errors.New("invalid value")
	// ErrLimit means that a text or a pattern needs more memory or time than allowed.
	ErrLimit = errors.New("limit exceeded")
)

// Error is the type of all errors of this package.
type Error struct {
	// Kind is one of the kinds of errors, such as ErrFormat.
	Kind error
	// Path is the place in the file, such as "model.vocab", or the name of the argument.
	Path string
	// Msg says what is wrong.
	Msg string
	// Err is the cause, or nil.
	Err error
}

// Error returns the message.
func (e *Error) Error() string {
	s := "tokenizers: "
	if e.Path != "" {
		s += e.Path + ": "
	}
	s += e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func fail(kind error, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Path: path, Msg: fmt.Sprintf(format, args...)}
}
