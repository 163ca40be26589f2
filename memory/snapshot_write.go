package memory

import (
	"io"
	"unsafe"

	"github.com/gotorch/gotorch/memory/internal/pickle"
)

// WritePickle writes the snapshot as a pickle of protocol 2, in the dialect
// that PyTorch's viewer reads: no classes, no large integers, lists in batches.
func (s *SnapshotData) WritePickle(w io.Writer) error {
	p := snapshotWriter{pickle.NewWriter(w)}
	p.snapshot(s)
	return p.Close()
}

// snapshotWriter writes a snapshot's parts. A stack that occurs again is a
// reference to the first.
type snapshotWriter struct{ *pickle.Writer }

// The forms of a stack in a file.
const (
	formFrames = iota
	formLines
)

func (p snapshotWriter) snapshot(s *SnapshotData) {
	p.Dict(func() {
		p.ListItem("segments", len(s.Segments), func(i int) { p.segment(&s.Segments[i]) })
		p.ListItem("device_traces", len(s.DeviceTraces), func(d int) {
			t := s.DeviceTraces[d]
			p.List(len(t), func(i int) { p.entry(&t[i]) })
		})
		p.Str("allocator_settings")
		p.Map(s.AllocatorSettings)
		p.ListItem("external_annotations", len(s.ExternalAnnotations), func(i int) { p.annotation(&s.ExternalAnnotations[i]) })
		if len(s.Devices) > 0 {
			p.ListItem("device_names", len(s.Devices), func(i int) { p.Str(s.Devices[i]) })
		}
	})
}

func (p snapshotWriter) segment(s *Segment) {
	p.Dict(func() {
		p.IntItem("device", int64(s.Device))
		p.UintItem("address", s.Address)
		p.IntItem("total_size", s.TotalSize)
		p.IntItem("allocated_size", s.AllocatedSize)
		p.IntItem("active_size", s.ActiveSize)
		p.IntItem("requested_size", s.RequestedSize)
		p.IntItem("stream", s.Stream)
		p.StrItem("segment_type", s.SegmentType)
		p.Str("segment_pool_id")
		p.Pair(s.SegmentPoolID[0], s.SegmentPoolID[1])
		p.Str("is_expandable")
		p.Bool(s.IsExpandable)
		p.frames("frames", s.Frames)
		p.ListItem("blocks", len(s.Blocks), func(i int) { p.block(&s.Blocks[i]) })
	})
}

func (p snapshotWriter) block(b *Block) {
	p.Dict(func() {
		p.UintItem("address", b.Address)
		p.IntItem("size", b.Size)
		p.IntItem("requested_size", b.RequestedSize)
		p.StrItem("state", b.State)
		p.frames("frames", b.Frames)
		if len(b.ForwardFrames) > 0 {
			p.forward("forward_frames", b.ForwardFrames)
		}
		if b.TimeUs != 0 {
			p.IntItem("time_us", b.TimeUs)
		}
	})
}

func (p snapshotWriter) entry(e *TraceEntry) {
	p.Dict(func() {
		p.StrItem("action", e.Action)
		if e.Action == ActionOOM {
			p.IntItem("device_free", e.DeviceFree)
		} else {
			p.UintItem("addr", e.Addr)
		}
		p.IntItem("size", e.Size)
		p.IntItem("stream", e.Stream)
		p.IntItem("time_us", e.TimeUs)
		p.StrItem("compile_context", e.CompileContext)
		p.StrItem("user_metadata", e.UserMetadata)
		p.frames("frames", e.Frames)
		if len(e.ForwardFrames) > 0 {
			p.forward("forward_frames", e.ForwardFrames)
		}
	})
}

func (p snapshotWriter) annotation(a *Annotation) {
	p.Dict(func() {
		p.StrItem("name", a.Name)
		p.StrItem("stage", a.Stage)
		p.IntItem("device", int64(a.Device))
		p.IntItem("time_us", a.TimeUs)
	})
}

func (p snapshotWriter) frames(key string, f []Frame) {
	p.Str(key)
	p.Shared(pickle.Ref{At: unsafe.Pointer(unsafe.SliceData(f)), Len: len(f), Form: formFrames}, func() {
		p.Items(len(f), func(i int) {
			p.Dict(func() {
				p.StrItem("name", f[i].Name)
				p.StrItem("filename", f[i].Filename)
				p.IntItem("line", int64(f[i].Line))
			})
		})
	})
}

func (p snapshotWriter) forward(key string, f []Frame) {
	p.Str(key)
	p.Shared(pickle.Ref{At: unsafe.Pointer(unsafe.SliceData(f)), Len: len(f), Form: formLines}, func() {
		lines := ForwardStack(f).lines()
		p.Items(len(lines), func(i int) { p.Str(lines[i]) })
	})
}
