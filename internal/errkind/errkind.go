// Package errkind makes the kinds of errors: values for errors.Is that encode as their names,
// where those of package errors would encode as {}.
package errkind

// kind is an error that is compared, not looked into.
type kind struct{ name, text string }

// New returns a kind: name is that of its variable, such as "ErrShape", and text its message.
func New(name, text string) error { return &kind{name, text} }

// Error returns the text.
func (k *kind) Error() string { return k.text }

// MarshalText returns the name, for JSON and other encodings.
func (k *kind) MarshalText() ([]byte, error) { return []byte(k.name), nil }

// Find returns the kind of that name among kinds, nil if there is none.
func Find(name string, kinds ...error) error {
	for _, k := range kinds {
		if k, ok := k.(*kind); ok && k.name == name { //nolint:errorlint // the very value, not one around it
			return k
		}
	}
	return nil
}
