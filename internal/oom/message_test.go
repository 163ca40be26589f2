package oom_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/oom"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

func TestFiguresOfMessages(t *testing.T) {
	native := oom.Read(nil, "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total capacity of 2.00 GiB "+
		"of which 1.50 GiB is free. "+
		"Process 7 has 512.00 MiB memory in use. 1.00 GiB allowed; Of the allocated memory 384.00 MiB is allocated "+
		"by PyTorch, "+
		"and 128.00 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "+
		"setting ...")
	assert.Equal(t, oom.Figures{
		CUDA: 1, Requested: 20 * mib, Allocated: 384 * mib, Reserved: 512 * mib,
		Free: 3 * gib / 2, Limit: gib,
	}, native)

	async := "Allocation on device 0 would exceed allowed memory. (out of memory)\n" +
		"Currently allocated     : 1.25 GiB\nRequested               : 512.00 MiB\nDevice limit            : 2.00 " +
		"GiB\n" +
		"Free (according to CUDA): 256.00 KiB\nPyTorch limit (set by user-supplied memory fraction)\n                " +
		"        : 17179869184.00 GiB"
	got := oom.Read(nil, async)
	assert.Equal(t, []int64{0, 512 * mib, 5 * gib / 4, gib >> 12, 0},
		[]int64{int64(got.CUDA), got.Requested, got.Allocated, got.Free, got.Limit})

	kernel := oom.Read(nil, "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate "+
		"memory: you tried to allocate 4096 bytes. Error code 12 (Cannot allocate memory)")
	assert.Equal(t, -1, kernel.CUDA)
	assert.EqualValues(t, 4096, kernel.Requested)
	assert.Positive(t, kernel.Free)

	// For an error of this library's own allocator, the figures come from the failure.
	// The message is not parsed.
	own := oom.Read(&mem.Failure{Requested: 5, Allocated: 6, Reserved: 7, Limit: 10}, "in other words")
	assert.Equal(t, oom.Figures{CUDA: -1, Requested: 5, Allocated: 6, Reserved: 7, Free: 3, Limit: 10}, own)
}

func TestCUDADevice(t *testing.T) {
	for message, want := range map[string]int{
		"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has ...": 3,
		"Allocation on device 2 would exceed allowed memory.":           2,
	} {
		n, ok := oom.CUDADevice(message)
		assert.True(t, ok)
		assert.Equal(t, want, n)
	}
	_, ok := oom.CUDADevice("out of patience")
	assert.False(t, ok)
}
