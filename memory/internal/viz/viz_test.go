package viz_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
	"github.com/gotorch/gotorch/torch"
)

// payload is the part of a page's data that the tests check.
type payload struct {
	Strings, Categories []string
	Snapshots           []struct {
		Name    string
		Devices []struct {
			Name                    string
			Segments                int
			Actions                 column
			Start, End, Size, Stack column
			Region                  column
			Regions                 []struct {
				Address    string
				Size       int64
				Start, End uint32
				Kind       string
			}
			Notes []struct{ Size, Free int64 }
			Marks []struct {
				Name       string
				Start, End uint32
			}
		}
	}
	blob []byte
}

type column struct {
	Type           string
	Offset, Length int
}

func values[T any](t *testing.T, p *payload, c column) []T {
	t.Helper()
	v := make([]T, c.Length)
	require.NoError(t, binary.Read(bytes.NewReader(p.blob[c.Offset:]), binary.LittleEndian, v))
	return v
}

// held returns the total size of the blocks that are in use at a moment.
func (p *payload) held(t *testing.T, snapshot, device int, moment uint32) (bytes float64, blocks int) {
	t.Helper()
	d := p.Snapshots[snapshot].Devices[device]
	start, end, size := values[uint32](t, p, d.Start), values[uint32](t, p, d.End), values[float64](t, p, d.Size)
	for i := range start {
		if start[i] <= moment && moment < end[i] {
			bytes += size[i]
			blocks++
		}
	}
	return bytes, blocks
}

var embedded = regexp.MustCompile(`id="payload">([^<]*)<`)

func pageOf(t *testing.T, inputs ...viz.Input) (string, *payload) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, viz.Write(&b, inputs...))
	m := embedded.FindStringSubmatch(b.String())
	require.NotNil(t, m)
	packed, err := base64.StdEncoding.DecodeString(m[1])
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	raw, err := io.ReadAll(z)
	require.NoError(t, err)
	n := binary.LittleEndian.Uint32(raw)
	p := new(payload)
	require.NoError(t, json.Unmarshal(raw[4:4+n], p))
	p.blob = raw[(4+n+7)&^7:]
	return b.String(), p
}

func load(t *testing.T, name string) viz.Input {
	t.Helper()
	s, err := memory.LoadSnapshot(filepath.Join("../../testdata", name))
	require.NoError(t, err)
	return viz.Input{Name: name, Snapshot: s}
}

func TestPageOfPythonsSnapshot(t *testing.T) {
	page, p := pageOf(t, load(t, "snapshot_p4.pickle"))
	require.Len(t, p.Snapshots, 1)
	require.Len(t, p.Snapshots[0].Devices, 2)
	d := p.Snapshots[0].Devices[0]
	assert.Equal(t, "cuda:0", d.Name)
	assert.Equal(t, 1052, d.Actions.Length)
	require.Len(t, d.Notes, 1)
	assert.EqualValues(t, 123456, d.Notes[0].Free)
	require.Len(t, d.Marks, 1)
	assert.Equal(t, "step", d.Marks[0].Name)
	assert.Contains(t, p.Categories, "model", "the innermost call of the program is in model.py")
	assert.NotContains(t, p.Categories, "stack not recorded (backward)")
	// If a segment has no event, it existed from the start.
	require.Len(t, p.Snapshots[0].Devices[1].Regions, 1)
	assert.Equal(t, "0xffff800000000000", p.Snapshots[0].Devices[1].Regions[0].Address)
	assert.NotRegexp(t, `https?://`, page, "the page asks for nothing")
}

func TestPageOfRecordedHistory(t *testing.T) {
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{}))
	defer func() { require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff})) }()
	x := torch.Ones(torch.Shape{100, 7})
	y := x.Add(x)
	require.NoError(t, x.Close())
	s := memory.Snapshot()
	require.NoError(t, y.Close())
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
	require.Len(t, p.Snapshots[0].Devices, 1)
	d := p.Snapshots[0].Devices[0]
	assert.Equal(t, "cpu", d.Name)
	_, blocks := p.held(t, 0, 0, uint32(d.Actions.Length))
	assert.Len(t, s.Live(), blocks)
	// With the system's allocator, each segment is a block in use.
	if memory.Backend(torch.CPU) != "system" {
		for _, r := range values[int32](t, p, d.Region) {
			require.GreaterOrEqual(t, r, int32(0), "every block lies in a segment")
		}
	}
	assert.Contains(t, p.Categories, "github.com/gotorch/gotorch/memory/internal/viz_test")
}

func TestPairsAllocationsWithFrees(t *testing.T) {
	tr := training{steps: 20, layers: 8, leak: 1 << 20}
	s := tr.snapshot()
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
	d := p.Snapshots[0].Devices[0]
	allocs := 0
	var now, peak float64
	var moment, at uint32
	for _, e := range s.DeviceTraces[0] {
		moment++
		switch e.Action {
		case memory.ActionAlloc:
			allocs++
			now += float64(e.Size)
		case memory.ActionFreeCompleted:
			now -= float64(e.Size)
		}
		if now > peak {
			peak, at = now, moment
		}
	}
	assert.Equal(t, "cpu", d.Name)
	assert.Equal(t, allocs, d.Start.Length)
	got, _ := p.held(t, 0, 0, at)
	assert.InDelta(t, peak, got, 0)
	got, blocks := p.held(t, 0, 0, moment)
	assert.InDelta(t, now, got, 0)
	assert.Len(t, s.Live(), blocks)
	for _, r := range values[int32](t, p, d.Region) {
		require.GreaterOrEqual(t, r, int32(0), "every block lies in a segment")
	}
	assert.Len(t, d.Regions, len(s.Segments))
	assert.Len(t, d.Marks, 20)
	for _, want := range []string{
		"github.com/gotorch/gotorch/nn", "example.com/metrics", "github.com/gotorch/gotorch/nn (backward)",
	} {
		assert.Contains(t, p.Categories, want)
	}
}

func TestBlocksFromBeforeTheTrace(t *testing.T) {
	f := []memory.Frame{{Name: "main.f[go.shape.int/x.y]", Filename: "/a/main.go", Line: 3}}
	s := &memory.SnapshotData{
		Segments: []memory.Segment{{Address: 4096, TotalSize: 8192, Blocks: []memory.Block{
			{Address: 4096, Size: 512, RequestedSize: 400, State: memory.BlockAllocated, Frames: f},
			{Address: 4608, Size: 512, State: memory.BlockInactive},
		}}},
		DeviceTraces: [][]memory.TraceEntry{{
			{Action: memory.ActionFreeCompleted, Addr: 4608, Size: 300},
			{Action: memory.ActionSegmentFree, Addr: 1 << 20, Size: 2048},
			{Action: memory.ActionAlloc, Addr: 4608, Size: 7, Frames: f},
			{Action: memory.ActionAlloc, Addr: 4608, Size: 8, Frames: f},
			{Action: memory.ActionFreeCompleted, Addr: 99},
			{Action: "an action of the future"},
		}},
	}
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
	for moment, want := range []float64{700 + 0, 400, 400, 407, 408, 408, 408} {
		got, _ := p.held(t, 0, 0, uint32(moment))
		assert.InDelta(t, want, got, 0, "moment %d", moment)
	}
	assert.Equal(t, []string{"stack not recorded", "main"}, p.Categories)
	regions := p.Snapshots[0].Devices[0].Regions
	require.Len(t, regions, 2)
	assert.EqualValues(t, 2, regions[0].End, "given back by the second event")
}

func TestDifferenceSharesStacks(t *testing.T) {
	a, b := training{steps: 5, layers: 4, leak: 1 << 20}, training{steps: 9, layers: 4, leak: 1 << 20}
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: a.snapshot()}, viz.Input{Name: "b", Snapshot: b.snapshot()})
	require.Len(t, p.Snapshots, 2)
	var leaked [2]float64
	for i, s := range p.Snapshots {
		d := s.Devices[0]
		start, end := values[uint32](t, p, d.Start), values[uint32](t, p, d.End)
		stack, size := values[uint32](t, p, d.Stack), values[float64](t, p, d.Size)
		metric := values[uint32](t, p, p.Snapshots[1].Devices[0].Stack)
		for k := range start {
			if end[k] > uint32(d.Actions.Length) && stack[k] == metric[len(metric)-1] {
				leaked[i] += size[k]
			}
		}
	}
	assert.Equal(t, [2]float64{5 << 20, 9 << 20}, leaked)
}

func TestNamesAreEscaped(t *testing.T) {
	s := &memory.SnapshotData{DeviceTraces: [][]memory.TraceEntry{{{
		Action: memory.ActionAlloc, Addr: 1, Size: 1,
		Frames: []memory.Frame{{Name: "</script><b>", Filename: "/*@data*/.go"}},
	}}}}
	page, p := pageOf(t, viz.Input{Name: "<script>alert(1)</script>", Snapshot: s})
	assert.NotContains(t, page, "<script>alert")
	assert.Contains(t, page, "&lt;script&gt;alert")
	assert.Contains(t, p.Strings, "</script><b>")
}

func TestRegionsAreOfTheirSegmentsKind(t *testing.T) {
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: &memory.SnapshotData{
		Devices: []string{"cpu"},
		Segments: []memory.Segment{ // in no order
			{Address: 3 << 20, TotalSize: 1 << 20, SegmentType: memory.SegmentLarge},
			{Address: 1 << 20, TotalSize: 1 << 20, SegmentType: memory.SegmentSmall},
		},
		DeviceTraces: [][]memory.TraceEntry{{
			{Action: memory.ActionSegmentMap, Addr: 3<<20 + 4096, Size: 4096},
			{Action: memory.ActionSegmentMap, Addr: 2 << 20, Size: 4096}, // just past the first
			{Action: memory.ActionSegmentMap, Addr: 4096, Size: 4096},
		}},
	}})
	kinds := map[string]string{}
	for _, r := range p.Snapshots[0].Devices[0].Regions {
		kinds[r.Address] = r.Kind
	}
	assert.Equal(t, map[string]string{
		"0x100000": "small", "0x300000": "large", "0x301000": "large", "0x302000": "large", "0x200000": "",
		"0x1000": "",
	}, kinds)
}

func TestAnnotationsOfOneNameNest(t *testing.T) {
	at := func(name, stage string, device int, us int64) memory.Annotation {
		return memory.Annotation{Name: name, Stage: stage, Device: device, TimeUs: us}
	}
	events := make([]memory.TraceEntry, 10)
	for i := range events {
		events[i] = memory.TraceEntry{Action: memory.ActionSnapshot, TimeUs: int64(i)}
	}
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: &memory.SnapshotData{
		DeviceTraces: [][]memory.TraceEntry{events, events},
		ExternalAnnotations: []memory.Annotation{
			at("a", memory.StageStart, 0, 1), at("b", memory.StageStart, 0, 2), at("a", memory.StageStart, 0, 3),
			at("a", memory.StageEnd, 1, 4), at("a", memory.StageEnd, 0, 5), at("a", memory.StageEnd, 0, 6),
			at("a", memory.StageEnd, 0, 7), at("a", memory.StageStart, 0, 8),
		},
	}})
	text, err := json.Marshal([]any{p.Snapshots[0].Devices[0].Marks, p.Snapshots[0].Devices[1].Marks})
	require.NoError(t, err)
	assert.JSONEq(t, `[[
		{"Name": "a", "Start": 1, "End": 6}, {"Name": "b", "Start": 2, "End": 11}, {"Name": "a", "Start": 3, "End": 5},
		{"Name": "a", "Start": 0, "End": 7}, {"Name": "a", "Start": 8, "End": 11}
	], [{"Name": "a", "Start": 0, "End": 4}]]`, string(text))
}

// A file may contain far more devices, events and segments than any program creates. The
// work must be proportional to the file's size: quadratic work would take minutes or all
// memory.
func TestLargeFilesTakeTheirLengthInWork(t *testing.T) {
	const devices, many = 20_000, 200_000
	t.Run("devices", func(t *testing.T) {
		s := &memory.SnapshotData{Devices: make([]string, devices)}
		for i := range many {
			s.Segments = append(s.Segments, memory.Segment{
				Device: i % devices, Address: uint64(i) << 20,
				TotalSize: 1 << 20,
			})
		}
		for i := range many {
			s.ExternalAnnotations = append(s.ExternalAnnotations,
				memory.Annotation{Name: "step", Stage: memory.StageStart, Device: i % devices})
		}
		_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
		require.Len(t, p.Snapshots[0].Devices, devices)
		last := p.Snapshots[0].Devices[devices-1]
		assert.Equal(t, many/devices, last.Segments)
		assert.Len(t, last.Marks, many/devices)
	})
	t.Run("annotations", func(t *testing.T) {
		s := &memory.SnapshotData{Devices: []string{"cpu"}}
		for _, stage := range []string{memory.StageStart, memory.StageEnd} {
			for i := range many {
				s.ExternalAnnotations = append(s.ExternalAnnotations,
					memory.Annotation{Name: fmt.Sprintf("step %07d", i), Stage: stage})
			}
		}
		_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
		marks := p.Snapshots[0].Devices[0].Marks
		require.Len(t, marks, many)
		assert.Zero(t, marks[many-1].End)
	})
	t.Run("segments", func(t *testing.T) {
		s := &memory.SnapshotData{Devices: []string{"cpu"}, DeviceTraces: [][]memory.TraceEntry{nil}}
		for i := range uint64(many / 4) { // each segment reaches to the end of the last one
			s.Segments = append(s.Segments, memory.Segment{Address: i << 20, TotalSize: int64(many/4-i) << 20})
			s.DeviceTraces[0] = append(s.DeviceTraces[0], memory.TraceEntry{
				Action: memory.ActionSegmentMap,
				Addr:   i<<20 + 1<<19, Size: 1 << 19,
			})
		}
		_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
		assert.Len(t, p.Snapshots[0].Devices[0].Regions, many/2)
	})
}

func TestRefuses(t *testing.T) {
	empty := viz.Input{Name: "empty", Snapshot: &memory.SnapshotData{}}
	require.ErrorContains(t, viz.Write(io.Discard), "expected one or two snapshots, got 0")
	require.ErrorContains(t, viz.Write(io.Discard, empty, empty, empty), "got 3")
	require.ErrorContains(t, viz.Write(io.Discard, viz.Input{Name: "nil"}), "a snapshot is nil")
	_, p := pageOf(t, empty)
	assert.Empty(t, p.Snapshots[0].Devices)
	require.ErrorIs(t, viz.Write(full{}, empty), errFull)
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A closure of a layer that is inlined into the program belongs to the layer's package.
func TestPackageOfAnInlinedClosure(t *testing.T) {
	s := &memory.SnapshotData{DeviceTraces: [][]memory.TraceEntry{{{
		Action: memory.ActionAlloc, Addr: 1, Size: 1, Frames: []memory.Frame{
			{Name: "github.com/gotorch/gotorch/torch.(*Tensor).Add", Filename: "/src/gotorch/torch/arith.go"},
			{Name: "main.main.func1.(*Tensor).Add.1", Filename: "/src/gotorch/torch/arith.go"},
			{Name: "main.main.func1.(*Linear).Forward.2", Filename: "/src/gotorch/nn/linear.go"},
			{Name: "main.main.func1", Filename: "/src/app/main.go"},
		},
	}}}}
	_, p := pageOf(t, viz.Input{Name: "a", Snapshot: s})
	assert.Equal(t, []string{"stack not recorded", "github.com/gotorch/gotorch/nn"}, p.Categories)
}

// The events of a snapshot may combine each list of calls with each list of forward calls. A page of
// all these stacks would be much larger than the snapshot.
func TestStacksOfManyLists(t *testing.T) {
	const lists, calls = 100, 10_000
	var stacks [][]memory.Frame
	for i := range lists {
		list := make([]memory.Frame, calls)
		list[0] = memory.Frame{Name: "f", Filename: "/a.py", Line: i + 1}
		stacks = append(stacks, list)
	}
	var trace []memory.TraceEntry
	for _, a := range stacks {
		for _, b := range stacks {
			trace = append(trace, memory.TraceEntry{Action: memory.ActionAlloc, Frames: a, ForwardFrames: b})
		}
	}
	s := &memory.SnapshotData{DeviceTraces: [][]memory.TraceEntry{trace}}
	filetest.Costs(t, 1<<30, func() {
		err := viz.Write(io.Discard, viz.Input{Name: "a", Snapshot: s})
		require.ErrorContains(t, err, "more calls than a page can hold")
	})
	s.DeviceTraces[0] = trace[:lists]
	require.NoError(t, viz.Write(io.Discard, viz.Input{Name: "a", Snapshot: s}))
}
