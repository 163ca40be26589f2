package memory

import (
	"bufio"
	"encoding/binary"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// The opcodes of Python's pickle format that a snapshot needs to be written.
// PyTorch's viewer knows few others.
const (
	opProto      = 0x80
	opStop       = '.'
	opMark       = '('
	opNone       = 'N'
	opTrue       = 0x88
	opFalse      = 0x89
	opInt1       = 'K'
	opInt2       = 'M'
	opInt4       = 'J'
	opLong1      = 0x8a
	opFloat      = 'G'
	opString     = 'X'
	opEmptyList  = ']'
	opAppends    = 'e'
	opEmptyDict  = '}'
	opSetItems   = 'u'
	opTuple2     = 0x86
	opPut1       = 'q'
	opPut4       = 'r'
	opGet1       = 'h'
	opGet4       = 'j'
	appendsBatch = 1000 // what the viewer can take at once
)

// WritePickle writes the snapshot as a pickle of protocol 2, in the dialect
// that PyTorch's viewer reads: no classes, no large integers, lists in batches.
func (s *SnapshotData) WritePickle(w io.Writer) error {
	p := &pickler{w: bufio.NewWriterSize(w, 1<<16), strings: map[string]uint32{}, stacks: map[stackKey]uint32{}}
	p.op(opProto, 2)
	p.snapshot(s)
	p.op(opStop)
	return p.w.Flush() // the first error of any write
}

// pickler writes values. Strings and stacks that occur again are written as
// references to the first.
type pickler struct {
	w       *bufio.Writer
	strings map[string]uint32
	stacks  map[stackKey]uint32
	memo    uint32
}

// stackKey identifies a slice of frames by where it lies.
type stackKey struct {
	at      *Frame
	n       int
	forward bool
}

func (p *pickler) op(b ...byte) { _, _ = p.w.Write(b) } // Flush reports

func (p *pickler) put() uint32 {
	n := p.memo
	p.memo++
	p.ref(opPut1, opPut4, n)
	return n
}

func (p *pickler) ref(short, long byte, n uint32) {
	if n < 256 {
		p.op(short, byte(n))
		return
	}
	p.op(long)
	p.fixed(n)
}

func (p *pickler) fixed(n uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], n)
	p.op(b[:]...)
}

func (p *pickler) str(s string) {
	if n, ok := p.strings[s]; ok {
		p.ref(opGet1, opGet4, n)
		return
	}
	text := strings.ToValidUTF8(s, "\uFFFD") // all that Python reads
	p.op(opString)
	p.fixed(uint32(len(text)))
	_, _ = p.w.WriteString(text)
	p.strings[s] = p.put()
}

func (p *pickler) int(v int64) {
	switch {
	case v >= 0 && v < 1<<8:
		p.op(opInt1, byte(v))
	case v >= 0 && v < 1<<16:
		p.op(opInt2, byte(v), byte(v>>8))
	case v >= math.MinInt32 && v <= math.MaxInt32:
		p.op(opInt4)
		p.fixed(uint32(int32(v)))
	default:
		var b [10]byte
		b[0], b[1] = opLong1, 8
		binary.LittleEndian.PutUint64(b[2:], uint64(v))
		p.op(b[:]...)
	}
}

func (p *pickler) uint(v uint64) {
	if v <= math.MaxInt64 {
		p.int(int64(v))
		return
	}
	var b [11]byte // a ninth byte, or it would be negative
	b[0], b[1] = opLong1, 9
	binary.LittleEndian.PutUint64(b[2:], v)
	p.op(b[:]...)
}

func (p *pickler) bool(v bool) {
	if v {
		p.op(opTrue)
	} else {
		p.op(opFalse)
	}
}

func (p *pickler) list(n int, item func(i int)) {
	p.op(opEmptyList)
	p.items(n, item)
}

func (p *pickler) items(n int, item func(i int)) {
	for from := 0; from < n; from += appendsBatch {
		p.op(opMark)
		for i := from; i < min(n, from+appendsBatch); i++ {
			item(i)
		}
		p.op(opAppends)
	}
}

func (p *pickler) dict(items func()) {
	p.op(opEmptyDict, opMark)
	items()
	p.op(opSetItems)
}

func (p *pickler) intItem(key string, v int64)                { p.str(key); p.int(v) }
func (p *pickler) uintItem(key string, v uint64)              { p.str(key); p.uint(v) }
func (p *pickler) strItem(key, v string)                      { p.str(key); p.str(v) }
func (p *pickler) frames(key string, f []Frame)               { p.str(key); p.stack(f, false) }
func (p *pickler) forward(key string, f []Frame)              { p.str(key); p.stack(f, true) }
func (p *pickler) listItem(key string, n int, item func(int)) { p.str(key); p.list(n, item) }

func (p *pickler) stack(f []Frame, forward bool) {
	key := stackKey{unsafe.SliceData(f), len(f), forward}
	if len(f) == 0 {
		key.at = nil // all empty ones are one
	}
	if n, ok := p.stacks[key]; ok {
		p.ref(opGet1, opGet4, n)
		return
	}
	p.op(opEmptyList)
	p.stacks[key] = p.put()
	if forward {
		lines := ForwardStack(f).lines()
		p.items(len(lines), func(i int) { p.str(lines[i]) })
		return
	}
	p.items(len(f), func(i int) {
		p.dict(func() {
			p.strItem("name", f[i].Name)
			p.strItem("filename", f[i].Filename)
			p.intItem("line", int64(f[i].Line))
		})
	})
}

func (p *pickler) snapshot(s *SnapshotData) {
	p.dict(func() {
		p.listItem("segments", len(s.Segments), func(i int) { p.segment(&s.Segments[i]) })
		p.listItem("device_traces", len(s.DeviceTraces), func(d int) {
			t := s.DeviceTraces[d]
			p.list(len(t), func(i int) { p.entry(&t[i]) })
		})
		p.str("allocator_settings")
		p.settings(s.AllocatorSettings)
		p.listItem("external_annotations", len(s.ExternalAnnotations), func(i int) { p.annotation(&s.ExternalAnnotations[i]) })
		if len(s.Devices) > 0 {
			p.listItem("device_names", len(s.Devices), func(i int) { p.str(s.Devices[i]) })
		}
	})
}

func (p *pickler) segment(s *Segment) {
	p.dict(func() {
		p.intItem("device", int64(s.Device))
		p.uintItem("address", s.Address)
		p.intItem("total_size", s.TotalSize)
		p.intItem("allocated_size", s.AllocatedSize)
		p.intItem("active_size", s.ActiveSize)
		p.intItem("requested_size", s.RequestedSize)
		p.intItem("stream", s.Stream)
		p.strItem("segment_type", s.SegmentType)
		p.str("segment_pool_id")
		p.int(s.SegmentPoolID[0])
		p.int(s.SegmentPoolID[1])
		p.op(opTuple2)
		p.str("is_expandable")
		p.bool(s.IsExpandable)
		p.frames("frames", s.Frames)
		p.listItem("blocks", len(s.Blocks), func(i int) { p.block(&s.Blocks[i]) })
	})
}

func (p *pickler) block(b *Block) {
	p.dict(func() {
		p.uintItem("address", b.Address)
		p.intItem("size", b.Size)
		p.intItem("requested_size", b.RequestedSize)
		p.strItem("state", b.State)
		p.frames("frames", b.Frames)
		if len(b.ForwardFrames) > 0 {
			p.forward("forward_frames", b.ForwardFrames)
		}
		if b.TimeUs != 0 {
			p.intItem("time_us", b.TimeUs)
		}
	})
}

func (p *pickler) entry(e *TraceEntry) {
	p.dict(func() {
		p.strItem("action", e.Action)
		if e.Action == ActionOOM {
			p.intItem("device_free", e.DeviceFree)
		} else {
			p.uintItem("addr", e.Addr)
		}
		p.intItem("size", e.Size)
		p.intItem("stream", e.Stream)
		p.intItem("time_us", e.TimeUs)
		p.strItem("compile_context", e.CompileContext)
		p.strItem("user_metadata", e.UserMetadata)
		p.frames("frames", e.Frames)
		if len(e.ForwardFrames) > 0 {
			p.forward("forward_frames", e.ForwardFrames)
		}
	})
}

func (p *pickler) annotation(a *Annotation) {
	p.dict(func() {
		p.strItem("name", a.Name)
		p.strItem("stage", a.Stage)
		p.intItem("device", int64(a.Device))
		p.intItem("time_us", a.TimeUs)
	})
}

func (p *pickler) settings(m map[string]any) {
	if len(m) == 0 {
		p.op(opEmptyDict)
		return
	}
	p.dict(func() {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			p.str(k)
			p.setting(m[k])
		}
	})
}

func (p *pickler) setting(v any) {
	switch v := v.(type) {
	case string:
		p.str(v)
	case bool:
		p.bool(v)
	case int:
		p.int(int64(v))
	case int64:
		p.int(v)
	case float64:
		var b [9]byte
		b[0] = opFloat
		binary.BigEndian.PutUint64(b[1:], math.Float64bits(v))
		p.op(b[:]...)
	case map[string]any:
		p.settings(v)
	default:
		p.op(opNone)
	}
}
