package memory

import (
	"errors"
	"io"
)

// Limits on the objects of a JSON snapshot: a number that is always allowed, and the bytes of
// the file per further object. An object takes up to a kilobyte of memory, and at least 34
// bytes of a real file.
const (
	fewObjects    = 1 << 12
	bytesOfObject = 16
)

var errObjects = errors.New("more objects than a file of this size can contain")

// objectReader reads JSON, and fails if it has too many objects.
type objectReader struct {
	r               io.Reader
	read, objects   int64
	quoted, escaped bool // inside a string; after a backslash in a string
}

// Read implements io.Reader.
func (o *objectReader) Read(b []byte) (int, error) {
	n, err := o.r.Read(b)
	for _, c := range b[:n] {
		switch {
		case o.escaped:
			o.escaped = false
		case o.quoted && c == '\\':
			o.escaped = true
		case c == '"':
			o.quoted = !o.quoted
		case c == '{' && !o.quoted:
			o.objects++
		}
	}
	o.read += int64(n)
	if o.objects > fewObjects+o.read/bytesOfObject {
		return 0, errObjects
	}
	return n, err
}
