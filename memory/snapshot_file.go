package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// ErrSnapshot is the kind of every *SnapshotError, for errors.Is.
var ErrSnapshot = errors.New("memory: not a memory snapshot")

// SnapshotError says why a file is not a memory snapshot.
type SnapshotError struct {
	Path    string // of the file, "" for a reader
	Offset  int64  // position in the file, -1 if unknown
	Message string
	Err     error // the error from reading the file or its JSON, or nil
}

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
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Is reports whether target is ErrSnapshot.
func (e *SnapshotError) Is(target error) bool { return target == ErrSnapshot }

// Unwrap returns the underlying error, or nil if there is none.
func (e *SnapshotError) Unwrap() error { return e.Err }

// DumpSnapshot writes Snapshot(devices...) to a file: JSON if path ends in
// .json, else a pickle. PyTorch's memory_viz and Python's pickle.load read
// both. In PyTorch: torch.cuda.memory._dump_snapshot.
func DumpSnapshot(path string, devices ...torch.Device) error {
	var s *SnapshotData
	if err := torch.Try(func() { s = Snapshot(devices...) }); err != nil {
		return err
	}
	return s.Save(path)
}

// Save writes the snapshot to a file: as JSON if path ends in .json, otherwise
// as a pickle. An existing file is replaced only when the new one is complete.
func (s *SnapshotData) Save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("memory: save snapshot: %w", err)
	}
	write := s.WritePickle
	if strings.EqualFold(filepath.Ext(path), ".json") {
		write = s.WriteJSON
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error counts
		return fmt.Errorf("memory: save snapshot: %w", err)
	}
	return nil
}

// WriteJSON writes the snapshot as JSON. Equal stacks are repeated for each
// entry; a pickle holds them once.
func (s *SnapshotData) WriteJSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	if err := json.NewEncoder(b).Encode(s); err != nil {
		return err
	}
	return b.Flush()
}

// LoadSnapshot reads a snapshot that DumpSnapshot or Python's
// torch.cuda.memory._dump_snapshot wrote, as a pickle or JSON. It ignores
// unknown keys. The error is a *SnapshotError if the file is damaged or is
// something else.
func LoadSnapshot(path string) (*SnapshotData, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &SnapshotError{Path: path, Offset: -1, Message: "cannot be opened", Err: err}
	}
	defer func() { _ = f.Close() }() // only read from
	s, err := ReadSnapshot(f)
	var se *SnapshotError
	if errors.As(err, &se) {
		se.Path = path
	}
	return s, err
}

// ReadSnapshot is LoadSnapshot for a stream.
func ReadSnapshot(r io.Reader) (*SnapshotData, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(64)
	if len(head) == 0 {
		return nil, &SnapshotError{Offset: 0, Message: "empty", Err: notEOF(err)}
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) {
		return readJSON(b)
	}
	return readPickle(b)
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func readJSON(r io.Reader) (*SnapshotData, error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	s := new(SnapshotData)
	if err := d.Decode(s); err != nil {
		return nil, &SnapshotError{Offset: d.InputOffset(), Message: "bad JSON", Err: err}
	}
	if s.Segments == nil && s.DeviceTraces == nil {
		return nil, &SnapshotError{Offset: -1, Message: "JSON without segments and device_traces"}
	}
	s.AllocatorSettings, _ = plainNumbers(s.AllocatorSettings).(map[string]any)
	s.complete()
	return s, nil
}

// plainNumbers replaces the json.Numbers in the values of a decoded object.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = plainNumbers(e)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = plainNumbers(e)
		}
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	}
	return v
}

// complete makes lists that a file lacks empty ones.
func (s *SnapshotData) complete() {
	if s.Segments == nil {
		s.Segments = []Segment{}
	}
	if s.DeviceTraces == nil {
		s.DeviceTraces = [][]TraceEntry{}
	}
	if s.AllocatorSettings == nil {
		s.AllocatorSettings = map[string]any{}
	}
	if s.ExternalAnnotations == nil {
		s.ExternalAnnotations = []Annotation{}
	}
}

// ForwardStack is the stack of a forward operator. In files each call is a line
// of text, outermost first, as in a Python traceback. That is what PyTorch
// writes and shows.
type ForwardStack []Frame

// lines returns the text form.
func (f ForwardStack) lines() []string {
	out := make([]string, len(f))
	for i, c := range f {
		out[len(f)-1-i] = fmt.Sprintf("  File \"%s\", line %d, in %s\n", c.Filename, c.Line, c.Name)
	}
	return out
}

var pythonCall = regexp.MustCompile(`^File "(.*)", line (\d+), in (.*)$`)

// forwardStack reads the text form. A line that does not have it becomes a name.
func forwardStack(lines []string) ForwardStack {
	out := make(ForwardStack, len(lines))
	for i, l := range lines {
		call, _, _ := strings.Cut(strings.TrimSpace(l), "\n")
		f := Frame{Name: call}
		if m := pythonCall.FindStringSubmatch(call); m != nil {
			if n, err := strconv.Atoi(m[2]); err == nil {
				f = Frame{Name: m[3], Filename: m[1], Line: n}
			}
		}
		out[len(lines)-1-i] = f
	}
	return out
}

// MarshalJSON writes the text form.
func (f ForwardStack) MarshalJSON() ([]byte, error) { return json.Marshal(f.lines()) }

// UnmarshalJSON reads the text form.
func (f *ForwardStack) UnmarshalJSON(b []byte) error {
	var lines []string
	if err := json.Unmarshal(b, &lines); err != nil {
		return err
	}
	*f = nil
	if len(lines) > 0 {
		*f = forwardStack(lines)
	}
	return nil
}
