package memory

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// DumpSnapshot saves Snapshot(devices...) to a file: as JSON if path ends in .json,
// otherwise as a pickle that Python's pickle.load reads. PyTorch's memory_viz reads
// both. In PyTorch: torch.cuda.memory._dump_snapshot.
func DumpSnapshot(path string, devices ...torch.Device) error {
	var s *SnapshotData
	if err := torch.Try(func() { s = Snapshot(devices...) }); err != nil {
		return err
	}
	return s.Save(path)
}

// Save saves the snapshot to a file: as JSON if path ends in .json, otherwise as a
// pickle. It replaces an existing file only when the new one is complete.
func (s *SnapshotData) Save(path string) error {
	mustBeMade("SnapshotData.Save", "Snapshot", s != nil)
	write := s.WritePickle
	if strings.EqualFold(filepath.Ext(path), ".json") {
		write = s.WriteJSON
	}
	if err := wholefile.Write(path, write); err != nil {
		return fmt.Errorf("memory: save snapshot: %w", err)
	}
	return nil
}

// LoadSnapshot reads a snapshot file, a pickle or JSON, that [DumpSnapshot] or Python's
// torch.cuda.memory._dump_snapshot has written. It ignores unknown keys. It returns a
// *SnapshotError if the file is damaged or is not a snapshot. path must be a regular file;
// [ReadSnapshot] also reads pipes.
func LoadSnapshot(path string) (*SnapshotData, error) {
	f, _, err := files.Open(path)
	var other *files.NotRegularError
	if errors.As(err, &other) {
		return nil, &SnapshotError{Path: path, Offset: -1, Message: other.Detail()}
	}
	if err != nil {
		return nil, &SnapshotError{Path: path, Offset: -1, Message: "cannot be opened", Err: err}
	}
	defer func() { _ = f.Close() }() // only read
	s, err := ReadSnapshot(f)
	var se *SnapshotError
	if errors.As(err, &se) {
		se.Path = path
	}
	return s, err
}

// ReadSnapshot reads a snapshot from a stream; see [LoadSnapshot]. If r is nil, it returns
// a *SnapshotError that wraps torch.ErrNil.
func ReadSnapshot(r io.Reader) (*SnapshotData, error) {
	if r == nil {
		return nil, &SnapshotError{
			Message: "a nil reader",
			Err:     torch.NewError("memory.ReadSnapshot", torch.ErrNil, "r", "a nil reader"),
		}
	}
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
