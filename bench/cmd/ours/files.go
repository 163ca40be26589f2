package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

func init() {
	cases["files.load"] = filesLoad
	cases["files.peak"] = filesPeak
	cases["files.lazy"] = filesLazy
}

const filesTensors, filesSide = 64, 2048

// filesPath returns the path of the file that the files.* cases read. It writes the file
// if it does not exist. bench/python/files.py writes the same file.
func filesPath() string {
	program := must(os.Executable())
	path := filepath.Join(filepath.Dir(program), "files.safetensors")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	all := map[string]*torch.Tensor{}
	for i := range filesTensors {
		all[fmt.Sprintf("layer.%d", i)] = torch.Full(torch.Shape{filesSide, filesSide}, float32(i))
	}
	check(safetensors.SaveFile(all, path))
	for _, t := range all {
		_ = t.Close()
	}
	return path
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// check panics if err is not nil, which ends the running case.
func check(err error) {
	if err != nil {
		panic(torch.WrapError("files", err))
	}
}

// readFile maps the file into memory, as Python does, and sums each tensor.
func readFile(path string) {
	total := 0.0
	torch.Scope(func() {
		for _, t := range must(safetensors.LoadFile(path, safetensors.BackendMmap)) {
			total += t.Sum().Item()
		}
	})
	if want := float64(filesSide * filesSide * filesTensors * (filesTensors - 1) / 2); math.Abs(
		total-want) > want/1000 {
		check(fmt.Errorf("the sum is %v, expected %v", total, want))
	}
}

func filesLoad(a args) result {
	path := filesPath()
	readFile(path)
	took := time.Duration(0)
	for range a.iterations {
		if a.get("cold", 0) != 0 {
			forget(path)
		}
		start := time.Now()
		readFile(path)
		took += time.Since(start)
	}
	return result{nanos: took.Nanoseconds()}
}

// filesPeak returns the number of bytes by which reading the file raises the peak
// resident memory.
func filesPeak(args) result {
	path := filesPath()
	// The memory that a process's first operators allocate must not count.
	torch.Scope(func() { torch.Ones(torch.Shape{1 << 16}).Sum().Item() })
	before := procStatus("VmRSS") << 10
	readFile(path)
	info := must(os.Stat(path))
	return result{named: map[string]int64{"grown": procStatus("VmHWM")<<10 - before, "file": info.Size()}}
}

// filesLazy returns the peak of allocated memory while a model's weights are loaded from
// the file by reading it, not by mapping it.
func filesLazy(args) result {
	file := must(safetensors.Open(filesPath()))
	const largest = filesSide * filesSide * 4
	start := memory.Allocated(torch.CPU)
	memory.ResetPeak(torch.CPU)
	model := nn.NewSequential()
	for range filesTensors {
		l := nn.NewLinear(filesSide, filesSide, nn.Bias(false), nn.Device(torch.Meta))
		l.ToEmpty(torch.CPU)
		model.Append(l)
	}
	check(model.LoadStateDict(file, nn.Rename{{"layer.*", "*.weight"}}))
	peak := memory.MaxAllocated(torch.CPU) - start
	check(file.Close())
	check(model.Close())
	return result{named: map[string]int64{"peak": peak, "need": (filesTensors + 1) * largest}}
}
