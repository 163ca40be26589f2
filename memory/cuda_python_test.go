package memory_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// cudaCheck contains the values that testdata/make_cuda.py recorded after one step.
type cudaCheck struct {
	Label    string           `json:"label"`
	Stats    map[string]int64 `json:"stats"`
	Host     map[string]int64 `json:"host"`
	Summary  string           `json:"summary"`
	Short    string           `json:"short"`
	Segments []segmentView    `json:"segments"`
	Settings map[string]any   `json:"settings"`
}

// callOnce subtracts the repeated calls from Python's count of out-of-memory errors. If
// an operator runs out of memory, make_cuda.py calls it again and Python counts two
// errors. gotorch itself repeats the call and counts one.
func (c *cudaCheck) callOnce(repeated int64) {
	ooms := c.Stats["num_ooms"]
	once := max(ooms-repeated, 0)
	c.Stats["num_ooms"] = once
	for _, text := range []*string{&c.Summary, &c.Short} {
		*text = strings.Replace(*text, fmt.Sprintf("OOMs: %-3d", ooms), fmt.Sprintf("OOMs: %-3d", once), 1)
	}
}

// segmentView is a segment without its address.
type segmentView struct {
	TotalSize     int64   `json:"total_size"`
	AllocatedSize int64   `json:"allocated_size"`
	ActiveSize    int64   `json:"active_size"`
	RequestedSize int64   `json:"requested_size"`
	SegmentType   string  `json:"segment_type"`
	Blocks        [][]any `json:"blocks"`
}

func viewSegments(s *memory.SnapshotData) []segmentView {
	views := []segmentView{}
	for _, g := range s.Segments {
		v := segmentView{g.TotalSize, g.AllocatedSize, g.ActiveSize, g.RequestedSize, g.SegmentType, nil}
		for _, b := range g.Blocks {
			v.Blocks = append(v.Blocks, []any{float64(b.Size), float64(b.RequestedSize), b.State})
		}
		views = append(views, v)
	}
	slices.SortStableFunc(views, func(a, b segmentView) int {
		return cmp.Or(cmp.Compare(a.TotalSize, b.TotalSize), cmp.Compare(a.AllocatedSize, b.AllocatedSize))
	})
	return views
}

// The same allocations give the same statistics as in Python, with each backend and
// setting of the allocator. Each case runs in a new process, because Python ran each case
// in a new process too.
func TestCUDALikePython(t *testing.T) {
	for file, conf := range map[string]string{
		"cuda.json": "", "cuda_expandable.json": "expandable_segments:True",
		"cuda_async.json": "backend:cudaMallocAsync",
	} {
		t.Run(file, func(t *testing.T) {
			if inChild(t, "PYTORCH_CUDA_ALLOC_CONF="+conf) {
				compareWithPython(t, file)
			}
		})
	}
}

// goldens returns the directory that contains Python's results.
func goldens() string { return cmp.Or(os.Getenv("GOTORCH_CUDA_GOLDENS"), "testdata") }

func compareWithPython(t *testing.T, file string) {
	dev := needCUDA(t)
	native := memory.Backend(dev) == "native"
	if !native && !simulated() && goldens() == "testdata" {
		t.Skip("the figures are a driver's own, and the goldens those of the simulated one")
	}
	if !native {
		// A collection would wait for the device. Python does not wait, so frees are
		// pending there.
		defer memory.SetGCPercent(memory.SetGCPercent(-1))
	}
	golden := filepath.Join(goldens(), file)
	var want []cudaCheck
	var steps [][]any
	for file, to := range map[string]any{golden: &want, "testdata/cuda_sequence.json": &steps} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, to))
	}

	live := map[string]*torch.Tensor{}
	repeated := int64(0)
	for _, step := range steps {
		name := func() string { return step[1].(string) }
		bytes := func() int64 { return int64(step[len(step)-1].(float64)) }
		switch op := step[0]; op {
		case "alloc":
			live[name()] = torch.Empty(torch.Shape{bytes()}, torch.Uint8, dev)
		case "pinned":
			live[name()] = torch.Empty(torch.Shape{bytes()}, torch.Uint8, torch.PinMemory(true))
			assert.True(t, live[name()].IsPinned())
		case "free":
			require.NoError(t, live[name()].Close())
		case "empty_cache":
			memory.EmptyCache(dev)
		case "reset_peak":
			memory.ResetPeak(dev)
		case "reset_accumulated":
			memory.ResetAccumulated(dev)
			repeated = 0
		case "fraction":
			require.NoError(t, memory.SetLimit(dev, bytes()))
			assert.Equal(t, bytes(), memory.Limit(dev))
		case "no_fraction":
			require.NoError(t, memory.SetLimit(dev, 0))
			assert.Zero(t, memory.Limit(dev))
		case "oom":
			require.ErrorIs(t, torch.Try(func() { torch.Empty(torch.Shape{bytes()}, torch.Uint8, dev) }),
				torch.ErrOutOfMemory)
			repeated++
		case "settings":
			require.NoError(t, memory.SetSettings(name()))
		case "bad_settings":
			if native { // make_cuda.py leaves them out for cudaMallocAsync
				require.ErrorIs(t, memory.SetSettings(name()), torch.ErrValue, name())
			}
		case "check":
			require.NotEmpty(t, want)
			w := want[0]
			want = want[1:]
			require.Equal(t, w.Label, name())
			w.callOnce(repeated)
			flat := memory.StatsFlat(dev)
			assert.Len(t, flat, 122)
			for k, v := range flat {
				assert.Equal(t, w.Stats[k], v, "%s: %s", w.Label, k)
			}
			assert.Equal(t, w.Summary, memory.Summary(dev), w.Label)
			assert.Equal(t, w.Short, memory.Summary(dev, memory.Abbreviated(true)), w.Label)
			host, err := memory.HostStats()
			require.NoError(t, err)
			if goldens() == "testdata" && !strings.HasPrefix(torch.Version(), "2.11.") {
				w.Host = nil // later versions of PyTorch count differently
			}
			for k, v := range w.Host {
				assert.Equal(t, v, host.Flat()[k], "%s: host %s", w.Label, k)
			}
			if !native {
				continue // this backend has neither segments nor settings
			}
			assert.Equal(t, w.Segments, viewSegments(memory.Snapshot(dev)), w.Label)
			text, err := json.Marshal(memory.Settings(dev))
			require.NoError(t, err)
			var settings map[string]any
			require.NoError(t, json.Unmarshal(text, &settings))
			for k, v := range settings {
				assert.Equal(t, w.Settings[k], v, "%s: %s", w.Label, k)
			}
		default:
			t.Fatalf("unknown step %v", op)
		}
	}
	assert.Empty(t, want)
}
