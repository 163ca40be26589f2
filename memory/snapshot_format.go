package memory

import (
	"unsafe"

	"github.com/gotorch/gotorch/internal/pickle"
)

// The fields of a snapshot, by the keys of PyTorch's files. Missing keys leave zero values,
// unknown keys are skipped, and a value of the wrong type is an error. Nothing changes
// these lists.
var (
	segmentFields = pickle.FieldsOf(
		pickle.IntField("device", func(s *Segment) *int { return &s.Device }),
		pickle.UintField("address", func(s *Segment) *uint64 { return &s.Address }),
		pickle.IntField("total_size", func(s *Segment) *int64 { return &s.TotalSize }),
		pickle.IntField("allocated_size", func(s *Segment) *int64 { return &s.AllocatedSize }),
		pickle.IntField("active_size", func(s *Segment) *int64 { return &s.ActiveSize }),
		pickle.IntField("requested_size", func(s *Segment) *int64 { return &s.RequestedSize }),
		pickle.IntField("stream", func(s *Segment) *int64 { return &s.Stream }),
		pickle.StringField("segment_type", func(s *Segment) *string { return &s.SegmentType }),
		pickle.PairField("segment_pool_id", func(s *Segment) *[2]int64 { return &s.SegmentPoolID }),
		pickle.BoolField("is_expandable", func(s *Segment) *bool { return &s.IsExpandable }),
		framesField("frames", func(s *Segment) *[]Frame { return &s.Frames }),
		pickle.ValueField("blocks",
			func(r *pickle.Reader, key string, v any, s *Segment) { s.Blocks = readBlocks(r, key, v) },
			func(w *pickle.Writer, s *Segment) {
				w.List(len(s.Blocks), func(i int) { blockFields.Write(w, &s.Blocks[i]) })
			}),
	)
	blockFields = pickle.FieldsOf(
		pickle.UintField("address", func(b *Block) *uint64 { return &b.Address }),
		pickle.IntField("size", func(b *Block) *int64 { return &b.Size }),
		pickle.IntField("requested_size", func(b *Block) *int64 { return &b.RequestedSize }),
		pickle.StringField("state", func(b *Block) *string { return &b.State }),
		framesField("frames", func(b *Block) *[]Frame { return &b.Frames }),
		forwardField("forward_frames", func(b *Block) *ForwardStack { return &b.ForwardFrames }),
		pickle.IntField("time_us", func(b *Block) *int64 { return &b.TimeUs }).
			Unless(func(b *Block) bool { return b.TimeUs == 0 }),
		pickle.StringField("pool", func(b *Block) *string { return &b.Pool }).
			Unless(func(b *Block) bool { return b.Pool == "" }),
	)
	entryFields = pickle.FieldsOf(
		pickle.StringField("action", func(e *TraceEntry) *string { return &e.Action }),
		pickle.IntField("device_free", func(e *TraceEntry) *int64 { return &e.DeviceFree }).
			Unless(func(e *TraceEntry) bool { return e.Action != ActionOOM }),
		pickle.UintField("addr", func(e *TraceEntry) *uint64 { return &e.Addr }).
			Unless(func(e *TraceEntry) bool { return e.Action == ActionOOM }),
		pickle.IntField("size", func(e *TraceEntry) *int64 { return &e.Size }),
		pickle.IntField("stream", func(e *TraceEntry) *int64 { return &e.Stream }),
		pickle.IntField("time_us", func(e *TraceEntry) *int64 { return &e.TimeUs }),
		pickle.StringField("compile_context", func(e *TraceEntry) *string { return &e.CompileContext }),
		pickle.StringField("user_metadata", func(e *TraceEntry) *string { return &e.UserMetadata }),
		framesField("frames", func(e *TraceEntry) *[]Frame { return &e.Frames }),
		forwardField("forward_frames", func(e *TraceEntry) *ForwardStack { return &e.ForwardFrames }),
	)
	annotationFields = pickle.FieldsOf(
		pickle.StringField("name", func(a *Annotation) *string { return &a.Name }),
		pickle.StringField("stage", func(a *Annotation) *string { return &a.Stage }),
		pickle.IntField("device", func(a *Annotation) *int { return &a.Device }),
		pickle.IntField("time_us", func(a *Annotation) *int64 { return &a.TimeUs }),
	)
	residentFields = pickle.FieldsOf(
		pickle.StringField("part", func(p *ResidentPart) *string { return (*string)(&p.Part) }),
		pickle.IntField("bytes", func(p *ResidentPart) *int64 { return &p.Bytes }),
		pickle.StringField("detail", func(p *ResidentPart) *string { return &p.Detail }).
			Unless(func(p *ResidentPart) bool { return p.Detail == "" }),
	)
	frameFields = pickle.FieldsOf(
		pickle.StringField("name", func(f *Frame) *string { return &f.Name }),
		pickle.StringField("filename", func(f *Frame) *string { return &f.Filename }),
		pickle.IntField("line", func(f *Frame) *int { return &f.Line }),
	)
)

// The two forms in which a file may contain a stack. A stack that is repeated in the same
// form is written as a reference to its first occurrence.
const (
	formFrames = iota
	formLines
)

// framesField describes a stack that is written as a list of dicts.
func framesField[T any](key string, at func(*T) *[]Frame) pickle.Field[T] {
	return pickle.ValueField(key,
		func(r *pickle.Reader, key string, v any, to *T) { *at(to) = readFrames(r, key, v) },
		func(w *pickle.Writer, from *T) {
			f := *at(from)
			w.Shared(pickle.Ref{At: unsafe.Pointer(unsafe.SliceData(f)), Len: len(f), Form: formFrames}, func() {
				w.Items(len(f), func(i int) { frameFields.Write(w, &f[i]) })
			})
		})
}

// forwardField describes a stack that is written as lines of text. An empty stack is left
// out.
func forwardField[T any](key string, at func(*T) *ForwardStack) pickle.Field[T] {
	return pickle.ValueField(key,
		func(r *pickle.Reader, key string, v any, to *T) { *at(to) = readForward(r, key, v) },
		func(w *pickle.Writer, from *T) {
			f := *at(from)
			w.Shared(pickle.Ref{At: unsafe.Pointer(unsafe.SliceData(f)), Len: len(f), Form: formLines}, func() {
				lines := f.lines()
				w.Items(len(lines), func(i int) { w.Str(lines[i]) })
			})
		}).Unless(func(from *T) bool { return len(*at(from)) == 0 })
}

func readBlock(r *pickle.Reader, d *pickle.Dict) (b Block) {
	r.Spend("blocks", 1+len(d.Keys))
	blockFields.Read(r, d, &b)
	return b
}

func readBlocks(r *pickle.Reader, key string, v any) []Block {
	l := r.List(key, v)
	made, first := pickle.Made[[]Block](l)
	if !first {
		r.Spend(key, len(*made))
		return *made
	}
	*made = make([]Block, 0, len(l.Items))
	for _, d := range r.Dicts(key, v) {
		*made = append(*made, readBlock(r, d))
	}
	return *made
}

func readFrames(r *pickle.Reader, key string, v any) []Frame {
	l := r.List(key, v)
	made, first := pickle.Made[[]Frame](l)
	if !first {
		return *made
	}
	*made = make([]Frame, 0, len(l.Items))
	for _, v := range l.Items {
		d, ok := v.(*pickle.Dict)
		if !ok {
			r.Fail("%s: a stack frame is not a dict", key)
		}
		if d.Made == nil {
			sealFrame(r, d)
		}
		frame, ok := d.Made.(*Frame)
		if !ok {
			r.Fail("%s: a stack frame has no file", key)
		}
		*made = append(*made, *frame)
	}
	return *made
}

func sealFrame(r *pickle.Reader, d *pickle.Dict) {
	if _, ok := d.Get("filename"); !ok {
		return
	}
	f := new(Frame)
	frameFields.Read(r, d, f)
	d.Become(f)
}

func readForward(r *pickle.Reader, key string, v any) ForwardStack {
	l := r.List(key, v)
	made, first := pickle.Made[[]Frame](l)
	if !first {
		return *made
	}
	n := len(l.Items)
	*made = make([]Frame, n)
	for i, v := range l.Items {
		(*made)[n-1-i] = pickle.Once(r, r.String(key, v), readCall)
	}
	return *made
}

// readCall parses one line of a traceback.
func readCall(line string) Frame { return forwardStack([]string{line})[0] }
