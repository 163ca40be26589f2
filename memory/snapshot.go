package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// SnapshotData is the state of the allocators at one moment and, if history was recorded,
// the earlier events. It has the contents of the files that Python's
// torch.cuda.memory._dump_snapshot writes and memory_viz reads. The CPU is one of the
// devices.
type SnapshotData struct {
	Segments []Segment `json:"segments"`
	// DeviceTraces contains a list of entries for each device number, in order of time.
	DeviceTraces        [][]TraceEntry `json:"device_traces"`
	AllocatorSettings   map[string]any `json:"allocator_settings"`   // see Settings
	ExternalAnnotations []Annotation   `json:"external_annotations"` // in order of time

	// Devices are the names of the devices by number, such as "cpu" or "cuda:0". The list
	// is empty in files written by Python, where all devices are CUDA devices.
	Devices []string `json:"device_names,omitempty"`

	// Resident divides the resident memory of the process into parts, as Explain does, if
	// the CPU is among the devices. It is empty in files written by Python.
	Resident []ResidentPart `json:"resident,omitempty"`
}

// Segment is a region that an allocator obtained from the system. Its blocks
// cover it without a gap.
type Segment struct {
	Device        int    `json:"device"`
	Address       uint64 `json:"address"`
	TotalSize     int64  `json:"total_size"`
	AllocatedSize int64  `json:"allocated_size"` // bytes in blocks that tensors hold
	// On CUDA it also includes freed blocks that a stream still uses.
	ActiveSize    int64    `json:"active_size"`
	RequestedSize int64    `json:"requested_size"` // bytes that tensors requested
	Stream        int64    `json:"stream"`
	SegmentType   string   `json:"segment_type"` // SegmentSmall or SegmentLarge
	SegmentPoolID [2]int64 `json:"segment_pool_id"`
	IsExpandable  bool     `json:"is_expandable"`
	Frames        []Frame  `json:"frames"` // stack of the call for which the segment was obtained
	Blocks        []Block  `json:"blocks"`
}

// The values of Segment.SegmentType.
const (
	SegmentSmall = "small" // for blocks of up to 1 MiB
	SegmentLarge = "large"
)

// Block is a part of a segment.
type Block struct {
	Address       uint64  `json:"address"`
	Size          int64   `json:"size"`
	RequestedSize int64   `json:"requested_size"` // bytes that the tensor requested
	State         string  `json:"state"`          // BlockAllocated or another of the constants below
	Frames        []Frame `json:"frames"`         // stack of the allocation, if recorded
	// For a block that a backward pass allocated, ForwardFrames is the stack of the forward
	// operator whose gradient was being computed.
	ForwardFrames ForwardStack `json:"forward_frames,omitempty"`
	TimeUs        int64        `json:"time_us,omitempty"` // time of allocation, µs since 1970, 0 if unknown
	// Pool names the captured graph ([torch.Capture]) that owns the block, with the line
	// that captured it. It is empty for other blocks.
	Pool string `json:"pool,omitempty"`
}

// The values of Block.State.
const (
	BlockAllocated   = "active_allocated"    // a tensor holds it
	BlockPendingFree = "active_pending_free" // freed, but a CUDA stream still uses it
	BlockInactive    = "inactive"            // free
)

// TraceEntry is one action of an allocator.
type TraceEntry struct {
	Action         string       `json:"action"` // ActionAlloc or another of the constants below
	Addr           uint64       `json:"addr"`   // 0 with ActionOOM
	Size           int64        `json:"size"`   // the requested bytes; for a segment its whole size
	Stream         int64        `json:"stream"`
	TimeUs         int64        `json:"time_us"` // time in microseconds since 1970
	CompileContext string       `json:"compile_context"`
	UserMetadata   string       `json:"user_metadata"`
	Frames         []Frame      `json:"frames"`
	ForwardFrames  ForwardStack `json:"forward_frames,omitempty"` // see Block
	DeviceFree     int64        `json:"device_free,omitempty"`    // with ActionOOM: free bytes of the device
}

// The values of TraceEntry.Action. A free has two entries, because on CUDA a stream
// may still use a block after it was freed.
const (
	ActionAlloc         = "alloc"
	ActionFreeRequested = "free_requested"
	ActionFreeCompleted = "free_completed"
	ActionSegmentAlloc  = "segment_alloc"
	ActionSegmentFree   = "segment_free"
	ActionSegmentMap    = "segment_map"
	ActionSegmentUnmap  = "segment_unmap"
	ActionSnapshot      = "snapshot"
	ActionOOM           = "oom"
)

// Annotation is a mark of [Annotate] in the history of a device. Each device that was
// recording then has its own copy of the mark.
type Annotation struct {
	Name   string `json:"name"`
	Stage  string `json:"stage"` // StageStart or StageEnd
	Device int    `json:"device"`
	TimeUs int64  `json:"time_us"` // time in microseconds since 1970
}

// The values of Annotation.Stage.
const (
	StageStart = "START"
	StageEnd   = "END"
)

// DeviceNumber returns the number of a device in the snapshot, or -1 if the
// snapshot does not contain it.
func (s *SnapshotData) DeviceNumber(dev torch.Device) int {
	mustBeMade("SnapshotData.DeviceNumber", "Snapshot", s != nil)
	if dev == 0 {
		dev = torch.DefaultDevice()
	}
	name := dev.String()
	for i, d := range s.Devices {
		if d == name {
			return i
		}
	}
	if len(s.Devices) == 0 && dev.IsCUDA() && dev.Index() < len(s.DeviceTraces) {
		return dev.Index()
	}
	return -1
}

// Live returns the blocks that tensors hold, from all segments.
func (s *SnapshotData) Live() []Block {
	mustBeMade("SnapshotData.Live", "Snapshot", s != nil)
	var live []Block
	for i := range s.Segments {
		for _, b := range s.Segments[i].Blocks {
			if b.State == BlockAllocated {
				live = append(live, b)
			}
		}
	}
	return live
}

// String returns the snapshot as one line for a log. For nil it returns "<nil>".
func (s *SnapshotData) String() string {
	if s == nil {
		return "<nil>"
	}
	var whole, requested int64
	for i := range s.Segments {
		whole += s.Segments[i].TotalSize
		requested += s.Segments[i].RequestedSize
	}
	events := 0
	for _, trace := range s.DeviceTraces {
		events += len(trace)
	}
	return fmt.Sprintf("memory snapshot: %d segments of %s, %d blocks of %s in use, %d events",
		len(s.Segments), units.Size(whole), len(s.Live()), units.Size(requested), events)
}

// fillLists replaces nil lists with empty lists, because they are written differently.
func (s *SnapshotData) fillLists() {
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
