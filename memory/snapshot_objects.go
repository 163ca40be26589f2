package memory

import (
	"errors"
	"io"
)

// What a snapshot in JSON may have: so many objects, and one for so many bytes. Each takes up to
// a kilobyte of memory, and at least 34 bytes of a file that somebody wrote.
const (
	fewObjects    = 1 << 12
	bytesOfObject = 16
)

var errObjects = errors.New("more objects than the size of the file explains")

// objectReader reads JSON, and fails where there are too many objects.
type objectReader struct {
	r               io.Reader
	read, objects   int64
	quoted, escaped bool // within a string, and behind a backslash there
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
