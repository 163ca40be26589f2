package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

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
	made("SnapshotData.Save", "Snapshot", s != nil)
	write := s.WritePickle
	if strings.EqualFold(filepath.Ext(path), ".json") {
		write = s.WriteJSON
	}
	if err := wholefile.Write(path, write); err != nil {
		return fmt.Errorf("memory: save snapshot: %w", err)
	}
	return nil
}

// WriteJSON writes the snapshot as JSON. Equal stacks are repeated for each
// entry; a pickle holds them once.
func (s *SnapshotData) WriteJSON(w io.Writer) error {
	made("SnapshotData.WriteJSON", "Snapshot", s != nil)
	b := bufio.NewWriter(w)
	if err := json.NewEncoder(b).Encode(s); err != nil {
		return err
	}
	return b.Flush()
}

// LoadSnapshot reads a snapshot that DumpSnapshot or Python's
// torch.cuda.memory._dump_snapshot wrote, as a pickle or JSON. It ignores
// unknown keys. The error is a *SnapshotError if the file is damaged or is
// something else. A pipe or a device is an error; ReadSnapshot reads those.
func LoadSnapshot(path string) (*SnapshotData, error) {
	f, _, err := files.Open(path)
	var other *files.NotRegularError
	if errors.As(err, &other) {
		return nil, &SnapshotError{Path: path, Offset: -1, Message: other.Detail()}
	}
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
	d := json.NewDecoder(&objectReader{r: r})
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
