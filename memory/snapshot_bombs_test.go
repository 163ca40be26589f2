package memory_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/memory"
)

// The following functions return parts of a pickle as text.

func pickled(value string) string { return "\x80\x02" + value + "." }

func pickledWord(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func pickledList(items ...string) string { return "](" + strings.Join(items, "") + "e" }

// pickledDict returns a dict. items are its keys and values, alternating.
func pickledDict(items ...string) string {
	var b strings.Builder
	b.WriteString("}(")
	for i := 0; i < len(items); i += 2 {
		b.WriteString(pickledWord(items[i]) + items[i+1])
	}
	return b.String() + "u"
}

// shared returns a list with n references to value, which the file contains only once.
func shared(value string, n int) string {
	return pickledList(value+"q\x00", strings.Repeat("h\x00", n-1))
}

var (
	anEntry = pickledDict("action", pickledWord(memory.ActionAlloc))
	aBlock  = pickledDict("state", pickledWord(memory.BlockAllocated))
)

// Reading JSON takes memory in proportion to the file's size, even if few bytes of it stand
// for large values.
func TestJSONBombs(t *testing.T) {
	const n = 1 << 18
	for name, c := range map[string]struct {
		start, item, end string
		refused          bool
	}{
		"segments":    {`{"segments":[`, "{}", `],"device_traces":[]}`, true},
		"blocks":      {`{"segments":[{"blocks":[`, "{}", `]}],"device_traces":[]}`, true},
		"traces":      {`{"segments":[],"device_traces":[[`, "{}", `]]}`, true},
		"devices":     {`{"segments":[],"device_traces":[`, "[]", `]}`, false},
		"annotations": {`{"segments":[],"external_annotations":[`, "{}", `]}`, true},
		"settings":    {`{"segments":[],"allocator_settings":{"a":[`, "1", `]}}`, false},
		"texts":       {`{"segments":[],"allocator_settings":{"a":[`, `"{\"{{"`, `]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.start + strings.Repeat(c.item+",", n) + c.item + c.end
			filetest.Costs(t, 8<<20+64*int64(len(text)), func() {
				_, err := memory.ReadSnapshot(strings.NewReader(text))
				if c.refused {
					require.ErrorIs(t, err, memory.ErrSnapshot)
					assert.ErrorContains(t, err, "more objects than a file of this size can contain")
				} else {
					assert.NoError(t, err)
				}
			})
		})
	}
}

// Reading a pickle takes memory in proportion to the file's size too.
func TestPickleBombs(t *testing.T) {
	const n = 1 << 20
	list := func(item string) string { return "](" + strings.Repeat(item, n) + "e" }
	for name, fields := range map[string][]string{
		"segments":    {"segments", list("}"), "device_traces", "]"},
		"blocks":      {"segments", pickledList(pickledDict("blocks", list("}"))), "device_traces", "]"},
		"devices":     {"segments", "]", "device_traces", list("]")},
		"annotations": {"segments", "]", "device_traces", "]", "external_annotations", list("}")},
		"tuples":      {"segments", "]", "device_traces", "]", "other", list("N\x85")},
	} {
		t.Run(name, func(t *testing.T) {
			text := pickled(pickledDict(fields...))
			filetest.Costs(t, 40<<20, func() {
				_, err := memory.ReadSnapshot(strings.NewReader(text))
				require.ErrorIs(t, err, memory.ErrSnapshot)
				assert.ErrorContains(t, err, "which the size of the file does not explain")
			})
		})
	}
}

// A snapshot of the smallest possible entries and frames is valid, however many it has.
func TestSmallestEntries(t *testing.T) {
	s := &memory.SnapshotData{DeviceTraces: [][]memory.TraceEntry{make([]memory.TraceEntry, 50_000)}}
	for i := range s.DeviceTraces[0] {
		e := &s.DeviceTraces[0][i]
		e.Action = memory.ActionAlloc
		e.Frames = []memory.Frame{{Name: "f", Filename: "f", Line: i % 200}}
	}
	for range 20_000 {
		s.Segments = append(s.Segments, memory.Segment{
			SegmentType: memory.SegmentSmall,
			Blocks:      make([]memory.Block, 3),
		})
	}
	for i := range s.Segments {
		for j := range s.Segments[i].Blocks {
			s.Segments[i].Blocks[j].State = memory.BlockAllocated
		}
	}
	for _, write := range []func(io.Writer) error{s.WritePickle, s.WriteJSON} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		got, err := memory.ReadSnapshot(&b)
		require.NoError(t, err)
		assert.Len(t, got.DeviceTraces[0], 50_000)
		assert.Len(t, got.Segments, 20_000)
	}
}

// bombs returns small files that describe very large contents, because each value refers
// many times to another value.
func bombs() map[string]string {
	const n = 1000
	entries := pickledList(strings.Repeat(anEntry, n))
	blocks := pickledList(strings.Repeat(aBlock, n))
	wide := []string{"blocks", pickledList()}
	for i := range n {
		wide = append(wide, strconv.Itoa(i), "N")
	}
	both := func(segments, traces string) string {
		return pickled(pickledDict("segments", segments, "device_traces", traces))
	}
	return map[string]string{
		"one trace for many devices": both(pickledList(), shared(entries, n)),
		"one segment many times":     both(shared(pickledDict("blocks", blocks), n), pickledList()),
		"one segment of many keys":   both(shared(pickledDict(wide...), n), pickledList()),
		"the blocks of many segments": both(pickledList(pickledDict("blocks", blocks+"q\x01"),
			strings.Repeat(pickledDict("blocks", "h\x01"), n)), pickledList()),
		"one annotation of many keys": pickled(pickledDict("segments", pickledList(), "external_annotations",
			shared(pickledDict(wide...), n))),
	}
}

// If a key occurs twice, the second value counts, as in Python.
func TestSnapshotKeysCountOnce(t *testing.T) {
	twice := func(key, a, b string) []string { return []string{key, a, key, b} }
	var items []string
	items = append(items, twice("segments", pickledList(pickledDict("device", "K\x01"), pickledDict("device", "K\x02")),
		pickledList(pickledDict("device", "K\x03", "device", "K\x04")))...)
	items = append(items, twice("device_traces", pickledList(pickledList(anEntry, anEntry)),
		pickledList(pickledList(pickledDict("size", "K\x05", "action", "N", "size", "K\x06"))))...)
	items = append(items, twice("external_annotations", pickledList(pickledDict("device", "K\x01")), pickledList())...)
	items = append(items, twice("device_names", pickledList(pickledWord("cuda:0")), pickledList(pickledWord("cpu")))...)
	s, err := memory.ReadSnapshot(strings.NewReader(pickled(pickledDict(items...))))
	require.NoError(t, err)
	assert.Equal(t, []memory.Segment{{Device: 4}}, s.Segments)
	assert.Equal(t, [][]memory.TraceEntry{{{Size: 6}}}, s.DeviceTraces)
	assert.Empty(t, s.ExternalAnnotations)
	assert.Equal(t, []string{"cpu"}, s.Devices)
}

// A value is read only once, even if the file refers to it many times. Reading it for each
// reference would take an hour.
func TestSharedValuesAreReadOnce(t *testing.T) {
	const n = 500_000
	var keys []string
	for i := range n {
		keys = append(keys, strconv.Itoa(1_000_000+i), "N")
	}
	line := `  File "` + strings.Repeat("/very/long", 50_000) + `", line 17, in forward` + "\n"
	entry := pickledDict("action", pickledWord(memory.ActionAlloc), "forward_frames", shared(pickledWord(line), n))
	s, err := memory.ReadSnapshot(strings.NewReader(pickled(pickledDict(
		"segments", pickledList(),
		"of others", shared(pickledDict(keys...), n),
		"device_traces", pickledList(pickledList(entry)),
	))))
	require.NoError(t, err)
	stack := s.DeviceTraces[0][0].ForwardFrames
	require.Len(t, stack, n)
	assert.Equal(t, "forward", stack[n-1].Name)
	assert.Equal(t, 17, stack[n-1].Line)
}

// Deeply nested values do not overflow the reader's stack.
func TestNestedSnapshot(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	const depth = 200_000
	open := "}" + pickledWord("action") + "Ns" + pickledWord("frames")
	nested := strings.Repeat(open, depth) + ")" + strings.Repeat("s\x85", depth)
	_, err := memory.ReadSnapshot(strings.NewReader(pickled(pickledDict("segments",
		pickledList(pickledDict("frames", nested))))))
	require.ErrorIs(t, err, memory.ErrSnapshot)
	require.ErrorContains(t, err, "a stack frame has no file")
}

// In a damaged file a dict may contain itself as a frame and as a trace entry.
func TestSnapshotWithinItself(t *testing.T) {
	within := func(key string) string {
		return "}q\x00(" + pickledWord("filename") + "N" + pickledWord("action") + "N" +
			pickledWord(key) + "h\x00\x85" + pickledWord("device") + "K\x07" + "u"
	}
	s, err := memory.ReadSnapshot(strings.NewReader(pickled(pickledDict("segments", within("frames")+"\x85"))))
	require.NoError(t, err)
	require.Len(t, s.Segments, 1)
	assert.Equal(t, 7, s.Segments[0].Device)

	top := "}q\x00(" + pickledWord("action") + "N" + pickledWord("device_traces") + "h\x00\x85\x85" +
		pickledWord("segments") + pickledList() + "u"
	_, err = memory.ReadSnapshot(strings.NewReader(pickled(top)))
	require.ErrorIs(t, err, memory.ErrSnapshot)
}

// A long key that occurs again and again in a dict of many keys would take quadratic time.
func TestLongKeysAgainAndAgain(t *testing.T) {
	key, others := pickledWord(strings.Repeat("k", 1<<20))+"q\x00", "}("
	for i := range 100 {
		others += pickledWord(strconv.Itoa(i)) + "N"
	}
	others += "u"
	for name, text := range map[string]string{
		"one by one": key + others + strings.Repeat("h\x00Ns", 100_000),
		"together":   key + others + "(" + strings.Repeat("h\x00N", 100_000) + "u",
	} {
		_, err := memory.ReadSnapshot(strings.NewReader(pickled(text)))
		require.ErrorIs(t, err, memory.ErrSnapshot, name)
		assert.ErrorContains(t, err, "keys that are larger than the file explains", name)
	}
}

// The blocks of a snapshot may all have the same long stack, whose line is found once.
func TestLongStackOfManyBlocks(t *testing.T) {
	const many = 10_000
	frame := pickledDict("filename", pickledWord("/a.py"), "name", pickledWord("f"), "line", "K\x01")
	frames := "](" + frame + "q\x00" + strings.Repeat("h\x00", many) + "eq\x01"
	block := func(frames string) string {
		return pickledDict("state", pickledWord(memory.BlockAllocated), "requested_size", "K\x01", "frames", frames)
	}
	blocks := pickledList(block(frames), strings.Repeat(block("h\x01"), many))
	s, err := memory.ReadSnapshot(strings.NewReader(pickled(pickledDict("segments",
		pickledList(pickledDict("blocks", blocks)), "device_traces", pickledList()))))
	require.NoError(t, err)
	filetest.Costs(t, 64<<20, func() {
		growth := memory.DiffBlocks(&memory.SnapshotData{}, s)
		require.Len(t, growth, 1)
		assert.EqualValues(t, many+1, growth[0].CountDelta)
	})
}
