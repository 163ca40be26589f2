package memory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
)

// ErrSnapshot matches every *SnapshotError in errors.Is.
var ErrSnapshot = errors.New("memory: not a memory snapshot")

// SnapshotError reports why a file is not a memory snapshot.
type SnapshotError struct {
	Path    string // of the file, "" for a reader
	Offset  int64  // position in the file in bytes; -1 if unknown
	Message string
	Err     error // the error from reading the file or its JSON, or nil
}

// longestCause is the maximum number of bytes of an underlying error's text.
const longestCause = 200

// Error returns "memory: snapshot PATH, byte OFFSET: MESSAGE".
func (e *SnapshotError) Error() string {
	var b strings.Builder
	b.WriteString("memory: snapshot")
	if e.Path != "" {
		b.WriteString(" " + e.Path)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ", byte %d", e.Offset)
	}
	b.WriteString(": " + e.Message)
	if e.Err != nil {
		text := e.Err.Error()
		// Errors of package json may quote large parts of the file.
		if len(text) > longestCause {
			text = plain.Short(text)
		}
		b.WriteString(": " + text)
	}
	return b.String()
}

// Is reports whether target is ErrSnapshot.
func (e *SnapshotError) Is(target error) bool { return target == ErrSnapshot }

// Unwrap returns the underlying error, or nil if there is none.
func (e *SnapshotError) Unwrap() error { return e.Err }
