package memory_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Random sequences of allocations, frees, limits and failures give the same statistics as
// in Python after each step, with each backend and setting of the allocator. Python runs on
// the same driver (a GPU's or the simulated one).
func TestCUDARandomLikePython(t *testing.T) {
	python := os.Getenv("GOTORCH_CUDA_PYTHON")
	if python == "" {
		t.Skip("needs the PyTorch of the libtorch under test: see scripts/test_cudasim.sh")
	}
	for i, conf := range []string{
		"", "expandable_segments:True", "backend:cudaMallocAsync", "max_split_size_mb:64",
		"roundup_power2_divisions:4,garbage_collection_threshold:0.6",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if !inChild(t, "PYTORCH_CUDA_ALLOC_CONF="+conf) {
				return
			}
			r := rand.New(rand.NewPCG(uint64(i), 34))
			var steps []cudaStep
			for range thorough.Or(40, 2) {
				steps = append(steps, randomSteps(r)...)
			}
			compareSteps(t, needCUDA(t), python, steps)
		})
	}
}

// cudaStep is one call: alloc, free, empty_cache, limit (bytes in addition to the live
// tensors, or 0 for no limit), reset_peak or reset_accumulated.
type cudaStep struct {
	op    string
	name  int // of the tensor
	bytes int64
}

func (s cudaStep) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.op, s.name, s.bytes}) }

// randomSteps returns a sequence that ends as it began: without tensors, cache and limit.
func randomSteps(r *rand.Rand) []cudaStep {
	var steps []cudaStep
	var live []int
	add := func(op string, name int, bytes int64) { steps = append(steps, cudaStep{op, name, bytes}) }
	for name := range 220 {
		switch p := r.IntN(100); {
		case p < 50:
			add("alloc", name, randomSize(r))
			live = append(live, name)
		case p < 86 && len(live) > 0:
			i := r.IntN(len(live))
			add("free", live[i], 0)
			live = slices.Delete(live, i, i+1)
		case p < 90:
			add("empty_cache", 0, 0)
		case p < 93:
			add("limit", 0, (32+r.Int64N(480))<<20)
		case p < 95:
			add("limit", 0, 0)
		case p < 97:
			add("reset_peak", 0, 0)
		default:
			add("reset_accumulated", 0, 0)
		}
	}
	for _, name := range live {
		add("free", name, 0)
	}
	add("limit", 0, 0)
	add("empty_cache", 0, 0)
	add("reset_peak", 0, 0)
	add("reset_accumulated", 0, 0)
	return steps
}

// randomSize returns a size that belongs to the small pool, belongs to the large pool, or
// hardly fits into memory.
func randomSize(r *rand.Rand) int64 {
	switch p := r.IntN(100); {
	case p < 40:
		return 1 + r.Int64N(1<<(1+r.IntN(20)))
	case p < 85:
		return 1<<20 + r.Int64N(1<<(18+r.IntN(8)))
	case p < 95:
		return r.Int64N(200 << 20)
	}
	return r.Int64N(1200 << 20)
}

// compareSteps runs the steps in Go and in Python, and compares the statistics after each
// step.
func compareSteps(t *testing.T, dev torch.Device, python string, steps []cudaStep) {
	t.Helper()
	// A collection would wait for pending frees, and Python does not wait.
	defer memory.SetGCPercent(memory.SetGCPercent(-1))
	want := pythonSteps(t, python, steps)
	live := map[int]*torch.Tensor{}
	short, shortSinceReset := 0, int64(0)
	for i, s := range steps {
		failed := takeStep(t, dev, live, s)
		switch {
		case failed:
			short++
			shortSinceReset++
		case s.op == "reset_accumulated":
			shortSinceReset = 0
		}
		require.Equal(t, want[i].short, failed, "step %d: %v", i, s)
		// Python counts the first call and the repeated one.
		want[i].stats["num_ooms"] = max(want[i].stats["num_ooms"]-shortSinceReset, 0)
		require.Equal(t, want[i].stats, memory.StatsFlat(dev), "step %d: %v", i, s)
	}
	assert.Empty(t, live)
	t.Logf("%d steps, %d of them out of memory", len(steps), short)
}

// takeStep runs one step, and reports whether it ran out of memory.
func takeStep(t *testing.T, dev torch.Device, live map[int]*torch.Tensor, s cudaStep) (short bool) {
	t.Helper()
	switch s.op {
	case "alloc":
		err := torch.Try(func() { live[s.name] = torch.Empty(torch.Shape{s.bytes}, torch.Uint8, dev) })
		if err != nil {
			require.ErrorIs(t, err, torch.ErrOutOfMemory)
			return true
		}
	case "free":
		if x := live[s.name]; x != nil {
			require.NoError(t, x.Close())
			delete(live, s.name)
		}
	case "empty_cache":
		memory.EmptyCache(dev)
	case "limit":
		require.NoError(t, memory.SetLimit(dev, limitWith(t, dev, s.bytes)))
	case "reset_peak":
		memory.ResetPeak(dev)
	case "reset_accumulated":
		memory.ResetAccumulated(dev)
	}
	return false
}

// limitWith returns a memory limit: the bytes of the live tensors plus room, rounded down
// to whole mebibytes, as in random_cuda.py. If room is 0, there is no limit.
func limitWith(t *testing.T, dev torch.Device, room int64) int64 {
	t.Helper()
	if room == 0 {
		return 0
	}
	_, total, err := memory.MemGetInfo(dev)
	require.NoError(t, err)
	return min((memory.Allocated(dev)+room)>>20<<20, total)
}

// afterStep contains Python's statistics after a step.
type afterStep struct {
	short bool
	stats map[string]int64
}

func pythonSteps(t *testing.T, python string, steps []cudaStep) []afterStep {
	t.Helper()
	var in, errors bytes.Buffer
	for _, s := range steps {
		require.NoError(t, json.NewEncoder(&in).Encode(s))
	}
	cmd := exec.Command(python, "-W", "ignore", "testdata/random_cuda.py")
	cmd.Stdin, cmd.Stderr = &in, &errors
	out, err := cmd.Output()
	require.NoError(t, err, "%s", errors.String())

	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	var names []string
	require.NoError(t, json.Unmarshal(lines.Bytes(), &names))
	var after []afterStep
	for lines.Scan() {
		var line struct {
			Short  bool
			Values []int64
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		require.Len(t, line.Values, len(names))
		a := afterStep{line.Short, map[string]int64{}}
		for i, name := range names {
			a.stats[name] = line.Values[i]
		}
		after = append(after, a)
	}
	require.Len(t, after, len(steps))
	return after
}
