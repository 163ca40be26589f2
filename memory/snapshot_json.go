package memory

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// WriteJSON writes the snapshot as JSON. The JSON is larger than a pickle, because equal
// stacks are repeated for each entry.
func (s *SnapshotData) WriteJSON(w io.Writer) error {
	mustBeMade("SnapshotData.WriteJSON", "Snapshot", s != nil)
	if w == nil {
		return nilWriterError("SnapshotData.WriteJSON")
	}
	b := bufio.NewWriter(w)
	if err := json.NewEncoder(b).Encode(s); err != nil {
		return err
	}
	return b.Flush()
}

func readJSON(r io.Reader) (*SnapshotData, error) {
	d := json.NewDecoder(&objectReader{r: r})
	d.UseNumber()
	s := new(SnapshotData)
	if err := d.Decode(s); err != nil {
		return nil, &SnapshotError{Offset: d.InputOffset(), Message: "bad JSON", Err: err}
	}
	if s.Segments == nil && s.DeviceTraces == nil {
		return nil, &SnapshotError{Offset: -1, Message: "expected segments or device_traces in the JSON, got neither"}
	}
	s.AllocatorSettings, _ = plainNumbers(s.AllocatorSettings).(map[string]any)
	s.fillLists()
	return s, nil
}

// plainNumbers replaces each json.Number with an int64 or a float64.
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

// A JSON snapshot may contain at most fewObjects objects, plus one for each bytesOfObject
// bytes of the file. The limit is needed because an object takes up to a kilobyte of
// memory. In real files an object has at least 34 bytes.
const (
	fewObjects    = 1 << 12
	bytesOfObject = 16
)

var errObjects = errors.New("more objects than a file of this size can contain")

// objectReader passes JSON on, and returns an error if there are too many objects.
type objectReader struct {
	r             io.Reader
	read, objects int64
	// quoted is true inside a string, and escaped after a backslash in a string.
	quoted, escaped bool
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
