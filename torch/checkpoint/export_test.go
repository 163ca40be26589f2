package checkpoint

import (
	"bytes"
	"io"
)

// Writing sets a function that the Manager calls before it writes a file.
func (m *Manager) Writing(fn func()) { m.beforeWrite = fn }

// HostTensors returns the number of tensor copies that the Manager keeps in host memory.
func (m *Manager) HostTensors() int { return len(m.host.slots) }

// Seal returns a checkpoint. It adds a comment with the header to the archive, which must
// have no comment.
func Seal(archive, header []byte) []byte {
	var b bytes.Buffer
	s := &sealer{w: &b}
	if _, err := s.Write(archive); err != nil {
		panic(err)
	}
	if err := s.seal(header); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// NewSealer returns a sealer that writes to w, and the sealer's method seal.
func NewSealer(w io.Writer) (io.Writer, func(header []byte) error) {
	s := &sealer{w: w}
	return s, s.seal
}

// Unseal is the inverse of Seal: it returns the archive without its comment.
func Unseal(file []byte) []byte {
	at := bytes.LastIndex(file, []byte(endRecord)) + endSize
	out := bytes.Clone(file[:at])
	out[at-2], out[at-1] = 0, 0
	return out
}
