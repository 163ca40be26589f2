package memory_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
)

// pythonsFiles returns the files in which Python wrote the same snapshot, one for each
// protocol.
func pythonsFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/snapshot_p?.pickle")
	require.NoError(t, err)
	require.Len(t, files, 5)
	return append(files, "testdata/snapshot.json")
}

// Only regular files are accepted, because opening a pipe could wait forever.
func TestSnapshotsThatAreNoFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{t.TempDir(), pipe, "/dev/zero"} {
		_, err := memory.LoadSnapshot(path)
		require.ErrorIs(t, err, memory.ErrSnapshot)
		assert.ErrorContains(t, err, path+": expected a file, got a ")
	}
}

// Errors quote only the beginning of long values.
func TestSnapshotErrorsAreShort(t *testing.T) {
	long := strings.Repeat("9", 5000)
	for _, text := range []string{
		`{"segments": [{"address": "` + long + `"}]}`, `{"segments": [{"address": ` + long + `}]}`,
		`{"segments": ` + long + `}`,
		pickled(pickledDict("segments", pickledWord(long), "device_traces", "]")),
		"I" + long[:4000] + "x\n.", "c" + long[:1000] + "\nx\n.",
	} {
		_, err := memory.ReadSnapshot(strings.NewReader(text))
		require.ErrorIs(t, err, memory.ErrSnapshot)
		assert.Less(t, len(err.Error()), 400, text[:20])
	}
}

func TestLoadsWhatPythonWrote(t *testing.T) {
	want, err := memory.LoadSnapshot("testdata/snapshot_p2.pickle")
	require.NoError(t, err)

	require.Len(t, want.Segments, 2)
	seg := want.Segments[0]
	assert.EqualValues(t, 0x7f0a40000000, seg.Address)
	assert.Equal(t, memory.SegmentSmall, seg.SegmentType)
	assert.EqualValues(t, 1400, seg.RequestedSize)
	require.Len(t, seg.Blocks, 3)
	assert.Equal(t, memory.BlockPendingFree, seg.Blocks[1].State)
	call := memory.Frame{Name: "forward", Filename: "/home/user/model.py", Line: 17}
	assert.Equal(t, call, seg.Blocks[0].Frames[0])
	assert.Equal(t, call, seg.Blocks[1].ForwardFrames[0], "innermost first")
	assert.EqualValues(t, uint64(0xffff800000000000), want.Segments[1].Address)
	assert.Equal(t, [2]int64{0, 3}, want.Segments[1].SegmentPoolID)
	assert.True(t, want.Segments[1].IsExpandable)

	require.Len(t, want.DeviceTraces, 2)
	require.Len(t, want.DeviceTraces[0], 1052)
	oom := want.DeviceTraces[0][1]
	assert.Equal(t, memory.ActionOOM, oom.Action)
	assert.EqualValues(t, 123456, oom.DeviceFree)
	assert.Equal(t, "step 3 é 世界", oom.UserMetadata)
	assert.Len(t, oom.ForwardFrames, 2)
	last := want.DeviceTraces[0][1051]
	assert.Equal(t, memory.ActionFreeCompleted, last.Action)
	assert.EqualValues(t, 1700000000002049, last.TimeUs)
	assert.Equal(t, map[string]any{
		"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": int64(-1), "garbage_collection_threshold": 0.0,
		"expandable_segments": false, "pinned_num_register_threads": int64(1), "release_lock_on_malloc": true,
		"roundup_power2_divisions": map[string]any{"1": int64(0), "1024": int64(2), ">": int64(4)},
	}, want.AllocatorSettings)
	assert.Equal(t, memory.Annotation{Name: "step", Stage: memory.StageEnd, TimeUs: 1700000000009000},
		want.ExternalAnnotations[1])

	for _, f := range pythonsFiles(t) {
		got, err := memory.LoadSnapshot(f)
		require.NoError(t, err, f)
		// assert.Equal would print thousands of differences.
		assert.True(t, reflect.DeepEqual(roundFloats(want), roundFloats(got)), f)
	}
}

// roundFloats converts floating-point numbers in the settings to integers, because some
// programs write 0.0 as 0 in JSON.
func roundFloats(s *memory.SnapshotData) *memory.SnapshotData {
	c := *s
	c.AllocatorSettings = map[string]any{}
	for k, v := range s.AllocatorSettings {
		if f, ok := v.(float64); ok {
			v = int64(f)
		}
		c.AllocatorSettings[k] = v
	}
	return &c
}

// The pickle equals the golden file, which make_snapshot.py has compared with Python's
// pickle.
func TestPickleIsPythons(t *testing.T) {
	s, err := memory.LoadSnapshot("testdata/snapshot_p4.pickle")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, s.WritePickle(&b))
	const golden = "testdata/snapshot_go.pickle"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, b.Bytes()))
}

func TestSnapshotRoundTrip(t *testing.T) {
	record(t, memory.HistoryOptions{})
	x := makeThree()
	memory.Annotate("a name that is no \xff UTF-8", func() {})
	defer func() { require.NoError(t, x.Close()) }()
	s := memory.Snapshot()
	for _, name := range []string{"s.pickle", "s.json", "s"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, s.Save(path))
		back, err := memory.LoadSnapshot(path)
		require.NoError(t, err)
		assert.Equal(t, "a name that is no \uFFFD UTF-8", back.ExternalAnnotations[0].Name)
		back.ExternalAnnotations = s.ExternalAnnotations
		assert.Equal(t, s, back, name)
	}
	path := filepath.Join(t.TempDir(), "dump.pickle")
	require.NoError(t, memory.DumpSnapshot(path))
	back, err := memory.LoadSnapshot(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, back.Devices)
	assert.NotEmpty(t, back.Segments)
}

func TestSnapshotString(t *testing.T) {
	s := &memory.SnapshotData{
		Segments: []memory.Segment{
			{TotalSize: 2 << 20, RequestedSize: 1000, Blocks: []memory.Block{
				{State: memory.BlockAllocated},
				{State: memory.BlockInactive},
			}},
			{TotalSize: 1 << 20, RequestedSize: 24, Blocks: []memory.Block{{State: memory.BlockAllocated}}},
		},
		DeviceTraces: [][]memory.TraceEntry{{{}, {}}, {{}}},
	}
	assert.Equal(t, "memory snapshot: 2 segments of 3.0 MiB, 2 blocks of 1.0 KiB in use, 3 events", s.String())
	s = nil
	assert.Equal(t, "<nil>", s.String())
}

func TestSaveFails(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "folder", "s.pickle")
	require.ErrorIs(t, memory.DumpSnapshot(missing), os.ErrNotExist)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.Mkdir(taken, 0o755))
	require.Error(t, memory.DumpSnapshot(taken), "a folder is in the way")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left behind")
}

func TestCorruptSnapshots(t *testing.T) {
	whole, err := os.ReadFile("testdata/snapshot_p2.pickle")
	require.NoError(t, err)
	texts := map[string]string{
		"empty":           "",
		"cut":             string(whole[:len(whole)/2]),
		"text":            "no snapshot at all",
		"a class":         "\x80\x02cos\nsystem\n(S'true'\ntR.",
		"a list":          "\x80\x02].",
		"another dict":    "\x80\x02}X\x01\x00\x00\x00aK\x01s.",
		"protocol 9":      "\x80\x09}.",
		"underflow":       "\x80\x02u.",
		"long string":     "\x80\x02}X\xff\xff\xff\x7fabc",
		"longer string":   "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc",
		"no such value":   "\x80\x02}h\x07.",
		"odd items":       "\x80\x02}(K\x01u.",
		"segments a word": "\x80\x02}X\x08\x00\x00\x00segmentsX\x01\x00\x00\x00as.",
		"itself":          "\x80\x02]q\x00h\x00a.",
		"settings in self": "\x80\x02}(X\x08\x00\x00\x00segments]" +
			"X\x12\x00\x00\x00allocator_settings}q\x00(X\x01\x00\x00\x00ah\x00uu.",
		"bad JSON":       `{"segments": [`,
		"JSON of others": `{"a": 1}`,
		"JSON types":     `{"segments": "x"}`,
	}
	maps.Copy(texts, bombs())
	for name, text := range texts {
		s, err := memory.ReadSnapshot(bytes.NewReader([]byte(text)))
		assert.Nil(t, s, name)
		require.ErrorIs(t, err, memory.ErrSnapshot, name)
		var e *memory.SnapshotError
		require.ErrorAs(t, err, &e, name)
		assert.NotEmpty(t, e.Message, name)
	}
	_, err = memory.LoadSnapshot("testdata/absent.pickle")
	require.ErrorIs(t, err, memory.ErrSnapshot)
	require.ErrorIs(t, err, os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "bad.pickle")
	require.NoError(t, os.WriteFile(path, whole[:100], 0o644))
	_, err = memory.LoadSnapshot(path)
	require.ErrorContains(t, err, fmt.Sprintf("memory: snapshot %s, byte ", path))
}

// Whatever a file contains, reading ends and returns either a snapshot or a
// *SnapshotError.
func FuzzReadSnapshot(f *testing.F) {
	for _, name := range []string{"snapshot_p0.pickle", "snapshot_p2.pickle", "snapshot_p4.pickle", "snapshot.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)])
	}
	for _, text := range bombs() {
		f.Add([]byte(text))
	}
	small := &memory.SnapshotData{
		Segments: []memory.Segment{{Blocks: []memory.Block{{Frames: []memory.Frame{{
			Name: "f", Filename: "f.go",
			Line: 1,
		}}}}}},
		DeviceTraces: [][]memory.TraceEntry{{{Action: memory.ActionAlloc}}},
	}
	var b bytes.Buffer
	if err := small.WritePickle(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := memory.ReadSnapshot(bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, memory.ErrSnapshot)
			return
		}
		var out bytes.Buffer
		require.NoError(t, s.WritePickle(&out))
		_, err = memory.ReadSnapshot(&out)
		require.NoError(t, err)
	})
}
