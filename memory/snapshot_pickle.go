package memory

import (
	"bufio"
	"errors"
	"io"

	"github.com/gotorch/gotorch/internal/pickle"
)

// WritePickle writes the snapshot as a pickle of protocol 2. It uses only the subset
// that PyTorch's viewer reads: no classes, no large integers, lists in batches.
func (s *SnapshotData) WritePickle(w io.Writer) error {
	mustBeMade("SnapshotData.WritePickle", "Snapshot", s != nil)
	if w == nil {
		return nilWriterError("SnapshotData.WritePickle")
	}
	p := pickle.NewWriter(w)
	p.Dict(func() {
		p.ListItem("segments", len(s.Segments), func(i int) { segmentFields.Write(p, &s.Segments[i]) })
		p.ListItem("device_traces", len(s.DeviceTraces), func(d int) {
			t := s.DeviceTraces[d]
			p.List(len(t), func(i int) { entryFields.Write(p, &t[i]) })
		})
		p.Str("allocator_settings")
		p.Map(s.AllocatorSettings)
		p.ListItem("external_annotations", len(s.ExternalAnnotations), func(i int) {
			annotationFields.Write(p, &s.ExternalAnnotations[i])
		})
		if len(s.Devices) > 0 {
			p.ListItem("device_names", len(s.Devices), func(i int) { p.Str(s.Devices[i]) })
		}
		if len(s.Resident) > 0 {
			p.ListItem("resident", len(s.Resident), func(i int) { residentFields.Write(p, &s.Resident[i]) })
		}
	})
	return p.Close()
}

// bytesOfValue is a lower bound for the average number of bytes per dict or list in a
// pickle. The smallest dicts, the frames, have 14 bytes.
const bytesOfValue = 8

func readPickle(from *bufio.Reader) (*SnapshotData, error) {
	r := pickle.NewReader(from)
	r.Every = bytesOfValue
	r.Seal = func(d *pickle.Dict) { seal(r, d) }
	s := new(SnapshotData)
	err := r.Run(func(top *pickle.Dict) { readTop(r, top, s) })
	if bad := (*pickle.Error)(nil); errors.As(err, &bad) {
		return nil, &SnapshotError{Offset: bad.Offset, Message: bad.Message, Err: bad.Err}
	}
	return s, nil
}

func readTop(r *pickle.Reader, top *pickle.Dict, s *SnapshotData) {
	// A damaged file may also use top as an entry or a frame. Then top was converted when
	// it was complete, and has no keys.
	keys, values := top.Keys, top.Values
	for i, key := range keys {
		switch v := values[i]; key {
		case "segments":
			for _, d := range r.Dicts(key, v) {
				r.Spend("segments", 1+len(d.Keys))
				var seg Segment
				segmentFields.Read(r, d, &seg)
				s.Segments = append(s.Segments, seg)
			}
		case "device_traces":
			for _, t := range r.List(key, v).Items {
				s.DeviceTraces = append(s.DeviceTraces, readTrace(r, r.List(key, t)))
			}
		case "allocator_settings":
			s.AllocatorSettings, _ = r.Plain(key, v).(map[string]any)
		case "external_annotations":
			for _, d := range r.Dicts(key, v) {
				r.Spend("external_annotations", 1+len(d.Keys))
				var a Annotation
				annotationFields.Read(r, d, &a)
				s.ExternalAnnotations = append(s.ExternalAnnotations, a)
			}
		case "device_names":
			for _, n := range r.List(key, v).Items {
				s.Devices = append(s.Devices, r.String(key, n))
			}
		case "resident":
			for _, d := range r.Dicts(key, v) {
				r.Spend("resident", 1+len(d.Keys))
				var p ResidentPart
				residentFields.Read(r, d, &p)
				s.Resident = append(s.Resident, p)
			}
		}
	}
	_, segments := top.Get("segments")
	_, traces := top.Get("device_traces")
	if !segments && !traces {
		r.Fail("expected segments or device_traces in the pickled dict, got neither")
	}
	s.fillLists()
}

// seal converts a dict that is a trace entry or a frame as soon as it is complete,
// because a file may have millions of them.
func seal(r *pickle.Reader, d *pickle.Dict) {
	if d.Made != nil {
		return
	}
	if _, ok := d.Get("action"); ok {
		e := new(TraceEntry)
		entryFields.Read(r, d, e)
		d.Become(e)
		return
	}
	sealFrame(r, d)
}

func readTrace(r *pickle.Reader, l *pickle.List) []TraceEntry {
	made, first := pickle.Made[[]TraceEntry](l)
	if !first {
		r.Spend("device_traces", len(*made))
		return *made
	}
	*made = make([]TraceEntry, 0, len(l.Items))
	for _, v := range l.Items {
		d, ok := v.(*pickle.Dict)
		if !ok {
			r.Fail("device_traces: an entry is not a dict")
		}
		seal(r, d)
		entry, ok := d.Made.(*TraceEntry)
		if !ok {
			r.Fail("device_traces: an entry has no action")
		}
		r.Spend("device_traces", 1)
		*made = append(*made, *entry)
	}
	return *made
}
