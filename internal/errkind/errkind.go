// Package errkind creates kinds of errors, such as torch.ErrShape: values for errors.Is.
// JSON contains the name of a kind, while a value of package errors would be {}.
package errkind

// kind is an error value that errors.Is finds in other errors.
type kind struct{ name, text string }

// New returns a kind. name is the name of the variable for it, such as "ErrShape". text
// is the message.
func New(name, text string) error { return &kind{name, text} }

// Error returns the text.
func (k *kind) Error() string { return k.text }

// MarshalText returns the name, for JSON and other encodings.
func (k *kind) MarshalText() ([]byte, error) { return []byte(k.name), nil }

// Find returns the kind with the given name, or nil if there is none.
func Find(name string, kinds ...error) error {
	for _, k := range kinds {
		if k, ok := k.(*kind); ok && k.name == name { //nolint:errorlint // the very value, not one around it
			return k
		}
	}
	return nil
}
