package memory

import (
	"bufio"
	"errors"
	"unsafe"

	"github.com/gotorch/gotorch/memory/internal/pickle"
)

// snapshotReader turns the values of a pickle into a snapshot. Keys that are
// missing leave zero values, unknown ones are skipped, and a value of another type
// than expected is an error.
type snapshotReader struct {
	*pickle.Reader
	calls map[*byte]Frame // what a line of a traceback says, by where the line lies
}

func readPickle(r *bufio.Reader) (*SnapshotData, error) {
	u := &snapshotReader{pickle.NewReader(r), map[*byte]Frame{}}
	u.Seal = u.seal
	var s *SnapshotData
	err := u.Run(func(top *pickle.Dict) { s = u.snapshot(top) })
	if bad := (*pickle.Error)(nil); errors.As(err, &bad) {
		return nil, &SnapshotError{Offset: bad.Offset, Message: bad.Message, Err: bad.Err}
	}
	return s, nil
}

// seal turns a dict that is a trace entry or frame into one. A file may hold
// millions.
func (u *snapshotReader) seal(d *pickle.Dict) {
	if d.Made != nil {
		return
	}
	if _, ok := d.Get("action"); ok {
		u.sealEntry(d)
		return
	}
	u.sealFrame(d)
}

func (u *snapshotReader) sealEntry(d *pickle.Dict) {
	e := new(TraceEntry)
	u.Fields(d, func(key string, v any) {
		switch key {
		case "action":
			e.Action = u.String(key, v)
		case "addr":
			e.Addr = u.Uint(key, v)
		case "size":
			e.Size = u.Int(key, v)
		case "stream":
			e.Stream = u.Int(key, v)
		case "time_us":
			e.TimeUs = u.Int(key, v)
		case "compile_context":
			e.CompileContext = u.String(key, v)
		case "user_metadata":
			e.UserMetadata = u.String(key, v)
		case "frames":
			e.Frames = u.asFrames(key, v)
		case "forward_frames":
			e.ForwardFrames = u.asForward(key, v)
		case "device_free":
			e.DeviceFree = u.Int(key, v)
		}
	})
	d.Become(e)
}

func (u *snapshotReader) sealFrame(d *pickle.Dict) {
	if _, ok := d.Get("filename"); !ok {
		return
	}
	f := new(Frame)
	u.Fields(d, func(key string, v any) {
		switch key {
		case "name":
			f.Name = u.String(key, v)
		case "filename":
			f.Filename = u.String(key, v)
		case "line":
			f.Line = int(u.Int(key, v))
		}
	})
	d.Become(f)
}

func (u *snapshotReader) snapshot(top *pickle.Dict) *SnapshotData {
	s := new(SnapshotData)
	u.Fields(top, func(key string, v any) {
		switch key {
		case "segments":
			for _, d := range u.Dicts(key, v) {
				s.Segments = append(s.Segments, u.segment(d))
			}
		case "device_traces":
			for _, t := range u.List(key, v).Items {
				s.DeviceTraces = append(s.DeviceTraces, u.asTrace(u.List(key, t)))
			}
		case "allocator_settings":
			s.AllocatorSettings, _ = u.Plain(key, v).(map[string]any)
		case "external_annotations":
			for _, d := range u.Dicts(key, v) {
				s.ExternalAnnotations = append(s.ExternalAnnotations, u.annotation(d))
			}
		case "device_names":
			for _, n := range u.List(key, v).Items {
				s.Devices = append(s.Devices, u.String(key, n))
			}
		}
	})
	_, segments := top.Get("segments")
	_, traces := top.Get("device_traces")
	if !segments && !traces {
		u.Fail("the pickle is a dict without segments and device_traces")
	}
	s.complete()
	return s
}

func (u *snapshotReader) segment(d *pickle.Dict) Segment {
	u.Spend("segments", 1+len(d.Keys))
	var s Segment
	u.Fields(d, func(key string, v any) {
		switch key {
		case "device":
			s.Device = int(u.Int(key, v))
		case "address":
			s.Address = u.Uint(key, v)
		case "total_size":
			s.TotalSize = u.Int(key, v)
		case "allocated_size":
			s.AllocatedSize = u.Int(key, v)
		case "active_size":
			s.ActiveSize = u.Int(key, v)
		case "requested_size":
			s.RequestedSize = u.Int(key, v)
		case "stream":
			s.Stream = u.Int(key, v)
		case "segment_type":
			s.SegmentType = u.String(key, v)
		case "segment_pool_id":
			for i, n := range u.List(key, v).Items[:min(2, len(u.List(key, v).Items))] {
				s.SegmentPoolID[i] = u.Int(key, n)
			}
		case "is_expandable":
			s.IsExpandable, _ = v.(bool)
		case "frames":
			s.Frames = u.asFrames(key, v)
		case "blocks":
			s.Blocks = u.asBlocks(key, v)
		}
	})
	return s
}

func (u *snapshotReader) block(d *pickle.Dict) Block {
	u.Spend("blocks", 1+len(d.Keys))
	var b Block
	u.Fields(d, func(key string, v any) {
		switch key {
		case "address":
			b.Address = u.Uint(key, v)
		case "size":
			b.Size = u.Int(key, v)
		case "requested_size":
			b.RequestedSize = u.Int(key, v)
		case "state":
			b.State = u.String(key, v)
		case "frames":
			b.Frames = u.asFrames(key, v)
		case "forward_frames":
			b.ForwardFrames = u.asForward(key, v)
		case "time_us":
			b.TimeUs = u.Int(key, v)
		}
	})
	return b
}

func (u *snapshotReader) annotation(d *pickle.Dict) Annotation {
	u.Spend("external_annotations", 1+len(d.Keys))
	var a Annotation
	u.Fields(d, func(key string, v any) {
		switch key {
		case "name":
			a.Name = u.String(key, v)
		case "stage":
			a.Stage = u.String(key, v)
		case "device":
			a.Device = int(u.Int(key, v))
		case "time_us":
			a.TimeUs = u.Int(key, v)
		}
	})
	return a
}

func (u *snapshotReader) asBlocks(key string, v any) []Block {
	l := u.List(key, v)
	made, first := pickle.Made[[]Block](l)
	if !first {
		u.Spend(key, len(*made))
		return *made
	}
	*made = make([]Block, 0, len(l.Items))
	for _, d := range u.Dicts(key, v) {
		*made = append(*made, u.block(d))
	}
	return *made
}

func (u *snapshotReader) asTrace(l *pickle.List) []TraceEntry {
	made, first := pickle.Made[[]TraceEntry](l)
	if !first {
		u.Spend("device_traces", len(*made))
		return *made
	}
	*made = make([]TraceEntry, 0, len(l.Items))
	for _, v := range l.Items {
		d, ok := v.(*pickle.Dict)
		if !ok {
			u.Fail("device_traces: an entry is no dict")
		}
		u.seal(d)
		entry, ok := d.Made.(*TraceEntry)
		if !ok {
			u.Fail("device_traces: an entry without an action")
		}
		u.Spend("device_traces", 1)
		*made = append(*made, *entry)
	}
	return *made
}

func (u *snapshotReader) asFrames(key string, v any) []Frame {
	l := u.List(key, v)
	made, first := pickle.Made[[]Frame](l)
	if !first {
		return *made
	}
	*made = make([]Frame, 0, len(l.Items))
	for _, v := range l.Items {
		d, ok := v.(*pickle.Dict)
		if !ok {
			u.Fail("%s: a call is no dict", key)
		}
		if d.Made == nil {
			u.sealFrame(d)
		}
		frame, ok := d.Made.(*Frame)
		if !ok {
			u.Fail("%s: a call without a file", key)
		}
		*made = append(*made, *frame)
	}
	return *made
}

func (u *snapshotReader) asForward(key string, v any) ForwardStack {
	l := u.List(key, v)
	made, first := pickle.Made[[]Frame](l)
	if !first {
		return *made
	}
	n := len(l.Items)
	*made = make([]Frame, n)
	for i, v := range l.Items {
		(*made)[n-1-i] = u.call(u.String(key, v))
	}
	return *made
}

// call reads a line of a traceback. Many stacks have the same lines; each is read
// once, since equal strings of a pickle lie at one place.
func (u *snapshotReader) call(line string) Frame {
	at := unsafe.StringData(line)
	f, ok := u.calls[at]
	if !ok {
		f = forwardStack([]string{line})[0]
		u.calls[at] = f
	}
	return f
}
