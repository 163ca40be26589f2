package oom

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/sysmem"
)

var (
	// cpuRequest matches the message of libtorch's own CPU allocator, which some kernels
	// use.
	cpuRequest = regexp.MustCompile(`you tried to allocate (\d+) bytes`)
	// These match the message of the CUDA allocator, in which numbers are rounded.
	cudaRequest = regexp.MustCompile(`CUDA out of memory\. Tried to allocate ([\d.]+ \w+)\. GPU (\d+)`)
	cudaFree    = regexp.MustCompile(`of which ([\d.]+ \w+) is free`)
	cudaUsed    = regexp.MustCompile(`allocated memory ([\d.]+ \w+) is allocated by PyTorch`)
	cudaCached  = regexp.MustCompile(`and ([\d.]+ \w+) is reserved by PyTorch but unallocated`)
	cudaLimit   = regexp.MustCompile(`([\d.]+ \w+) allowed`)
	// These match the message of cudaMallocAsync.
	asyncDevice  = regexp.MustCompile(`Allocation on device (\d+) would exceed allowed memory`)
	asyncRequest = regexp.MustCompile(`Requested +: ([\d.]+ \w+)`)
	asyncFree    = regexp.MustCompile(`Free \(according to CUDA\): ([\d.]+ \w+)`)
	asyncUsed    = regexp.MustCompile(`Currently allocated +: ([\d.]+ \w+)`)
	asyncTotal   = regexp.MustCompile(`Device limit +: ([\d.]+ \w+)`)
	asyncLimit   = regexp.MustCompile(`memory fraction\)\s*: ([\d.]+ \w+)`)
)

// CUDADevice returns the number of the CUDA device in an allocator's message.
func CUDADevice(message string) (index int, ok bool) {
	g := cudaRequest.FindStringSubmatch(message)
	if g != nil {
		g = g[1:]
	} else {
		g = asyncDevice.FindStringSubmatch(message)
	}
	if g == nil {
		return 0, false
	}
	index, err := strconv.Atoi(g[1])
	return index, err == nil
}

// SizeOverflows is a part of libtorch's message, in lower case. It shows that the product
// of sizes overflowed. In this case no memory was requested.
const SizeOverflows = "storage size calculation overflowed"

// Figures describe a device's memory when an allocation failed; see torch.OutOfMemory.
// CUDA is the number of the CUDA device, or -1 for the CPU.
type Figures struct {
	CUDA                                                int
	Requested, Allocated, Reserved, Free, Limit, Ulimit int64
}

// Read returns the figures of a failed allocation. failure is the CPU allocator's error,
// which contains the figures. For other allocators they are in the message.
func Read(failure *mem.Failure, message string) Figures {
	f := parse(message)
	if failure != nil {
		f = Figures{
			CUDA: -1, Requested: failure.Requested, Allocated: failure.Allocated, Reserved: failure.Reserved,
			Limit: failure.Limit,
		}
	}
	if f.CUDA >= 0 {
		return f
	}
	free, ulimit := sysmem.Ulimit()
	f.Ulimit = ulimit
	if f.Limit > 0 {
		f.Free = max(f.Limit-f.Reserved, 0)
	} else if machine, _, err := sysmem.Machine(); err == nil {
		f.Free = machine
	}
	if ulimit > 0 {
		f.Free = min(f.Free, free)
	}
	return f
}

// parse parses the figures in a message of libtorch.
func parse(message string) Figures {
	m := Figures{CUDA: -1}
	figure := func(r *regexp.Regexp) int64 {
		if g := r.FindStringSubmatch(message); g != nil {
			return roundedBytes(g[1])
		}
		return 0
	}
	if g := cudaRequest.FindStringSubmatch(message); g != nil {
		m.CUDA, _ = strconv.Atoi(g[2]) // digits
		m.Requested = roundedBytes(g[1])
		m.Free, m.Allocated, m.Limit = figure(cudaFree), figure(cudaUsed), figure(cudaLimit)
		m.Reserved = m.Allocated + figure(cudaCached)
		return m
	}
	if g := asyncDevice.FindStringSubmatch(message); g != nil {
		m.CUDA, _ = strconv.Atoi(g[1])
		m.Requested = figure(asyncRequest)
		m.Free, m.Allocated = figure(asyncFree), figure(asyncUsed)
		// Without a memory fraction, the limit in the message exceeds the device's
		// memory.
		if l := figure(asyncLimit); l < figure(asyncTotal) {
			m.Limit = l
		}
		m.Reserved = m.Allocated
		var s mem.Stats
		if cuda.Stats(m.CUDA, &s) == nil {
			m.Reserved = s.ReservedBytes[0].Current
		}
		return m
	}
	if g := cpuRequest.FindStringSubmatch(message); g != nil {
		m.Requested, _ = strconv.ParseInt(g[1], 10, 64)
	}
	var s mem.Stats
	mem.CPUStats(&s)
	m.Allocated, m.Reserved, m.Limit = s.AllocatedBytes[0].Current, s.ReservedBytes[0].Current, mem.CPULimit()
	return m
}

// roundedBytes parses a size such as "2.50 GiB". If it overflows int64, the result is the
// largest int64.
func roundedBytes(text string) int64 {
	number, unit, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	switch unit {
	case "KiB":
		v *= 1 << 10
	case "MiB":
		v *= 1 << 20
	case "GiB":
		v *= 1 << 30
	case "TiB":
		v *= 1 << 40
	}
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}
