package memory_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// inChild runs the calling test again in a new process. In the new process it returns
// true. In the old process it returns false after the new process has ended.
func inChild(t *testing.T, env ...string) bool {
	t.Helper()
	if os.Getenv("GOTORCH_CHILD") != "" {
		return true
	}
	cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "GOTORCH_CHILD=1"), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "no tests to run")
	return false
}

// Settings returns the same settings that a snapshot contains. TestCUDALikePython checks
// that changes have the same effect as in Python.
func TestCUDASettings(t *testing.T) {
	dev := needCUDA(t)
	want := memory.Settings(dev)
	assert.Equal(t, want, memory.Snapshot(dev).AllocatorSettings)
	require.NoError(t, memory.SetSettings("max_split_size_mb:128, garbage_collection_threshold : 0.8,"))
	s := memory.Settings(dev)
	assert.EqualValues(t, 128*mib, s["max_split_size"])
	assert.Equal(t, 0.8, s["garbage_collection_threshold"])
	assert.Equal(t, s, memory.Snapshot(dev).AllocatorSettings)

	for conf, message := range map[string]string{
		"max_split_size:5": "memory.SetSettings: max_split_size:5: there is no allocator setting max_split_size",
		"pinned_num_register_threads:2,max_split_size_mb:x": "memory.SetSettings: max_split_size_mb:x: not a " +
			"number",
		"release_lock_on_cudamalloc:True,max_split_size_mb:1": "memory.SetSettings: max_split_size_mb:1: " +
			"CachingAllocator option max_split_size_mb too small, must be >= 20",
		"max_split_size_mb:64,pinned_num_register_threads:3": "memory.SetSettings: " +
			"pinned_num_register_threads:3: Number of register threads has to be power of 2, got 3",
		"expandable_segments:True,max_split_size_mb":     `"max_split_size_mb": expected key:value, got no value`,
		"roundup_power2_divisions:[1:2":                  `memory.SetSettings: "roundup_power2_divisions:[1:2": brackets do not match`,
		"expandable_segments:True,,garbage_collection:1": "a setting has no name",
		"expandable_segments:True,pinned_use_cuda_host_register:1": "pinned_use_cuda_host_register:1: Expected " +
			"'True' or 'False'",
		"max_split_size_mb:64\x00": "contains a zero byte",
	} {
		err := memory.SetSettings(conf)
		require.ErrorIs(t, err, torch.ErrValue, conf)
		assert.ErrorContains(t, err, message)
		assert.NotContains(t, err.Error(), "INTERNAL ASSERT")
		assert.Equal(t, s, memory.Settings(dev), "%s: nothing changed", conf)
	}
	require.NoError(t, memory.SetSettings(""))
	want["PYTORCH_CUDA_ALLOC_CONF"] = ""
	assert.Equal(t, want, memory.Settings(dev), "the defaults")
}

// Settings changed before CUDA is opened are in effect from the first allocation on. This
// includes settings that only CUDA's library knows, and settings that the library reads
// only when it is initialized.
func TestCUDASettingsBeforeOpening(t *testing.T) {
	if !inChild(t, "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:32,pinned_num_register_threads:2") {
		return
	}
	require.ErrorIs(t, memory.SetSettings("max_split_size_mb:64,no_such_key:1"), torch.ErrValue)
	require.ErrorIs(t, memory.SetSettings("release_lock_on_cudamalloc:True,max_split_size_mb:abc"), torch.ErrValue)
	require.ErrorIs(t, memory.SetSettings("backend:cudaMallocAsync"), torch.ErrValue)
	require.NoError(t, memory.SetSettings("pinned_use_cuda_host_register:True,expandable_segments:False"))
	require.NoError(t,
		memory.SetSettings("backend:native,garbage_collection_threshold:0.5,per_process_memory_fraction:0.25"))
	dev := needCUDA(t)
	s := memory.Settings(dev)
	assert.Equal(t, true, s["pinned_use_cuda_host_register"])
	assert.Equal(t, false, s["release_lock_on_cudamalloc"])
	assert.EqualValues(t, 2, s["pinned_num_register_threads"], "from the environment")
	assert.EqualValues(t, -1, s["max_split_size"], "not named")
	assert.Equal(t, 0.5, s["garbage_collection_threshold"])
	_, total, err := memory.MemGetInfo(dev)
	require.NoError(t, err)
	assert.InDelta(t, total/4, memory.Limit(dev), 1)
}

// If an invalid setting is found only when CUDA is opened, CUDA is not available, and the
// error describes the setting.
func TestCUDASettingsFailAtOpening(t *testing.T) {
	if !inChild(t) {
		return
	}
	if os.Getenv("GOTORCH_NEED_CUDA") == "" {
		t.Skip("CUDA is not needed here")
	}
	require.NoError(t, memory.SetSettings("pinned_num_register_threads:3"))
	err := torch.CUDA.At(0).Check()
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.ErrorContains(t, err,
		`CUDA does not take the settings "pinned_num_register_threads:3": Number of register threads has to be power of 2, got 3`)
}

// Without CUDA, or before it is in use, settings are checked as far as possible.
func TestSettingsNoSuchDevice(t *testing.T) {
	require.ErrorIs(t, torch.Try(func() { memory.Settings(torch.CUDA.At(99)) }), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.Settings(torch.Meta) }), torch.ErrDevice)
	s := memory.Settings(torch.CPU)
	assert.Equal(t, memory.Backend(torch.CPU), s["cpu_backend"])
	assert.Equal(t, memory.Limit(torch.CPU), s["cpu_limit"])
	assert.Equal(t, s, memory.Snapshot(torch.CPU).AllocatorSettings)
	require.NoError(t, memory.SetLimit(torch.CPU, 1<<40))
	assert.EqualValues(t, 1<<40, memory.Settings(torch.CPU)["cpu_limit"])
	require.NoError(t, memory.SetLimit(torch.CPU, 0))

	for _, conf := range []string{
		"max_split_size_mb:3", "max_split_size_mb:abc", "nonsense:1", "expandable_segments",
		":1", "roundup_power2_divisions:[1:2",
	} {
		require.ErrorIs(t, memory.SetSettings(conf), torch.ErrValue, conf)
	}
}
