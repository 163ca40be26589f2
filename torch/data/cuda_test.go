package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// onCUDA reports whether the running test should do its work in this process. For the
// simulated driver, it runs the test in another process, and fails if the driver finds a
// race: two unordered accesses to the same memory.
func onCUDA(t *testing.T, env ...string) bool {
	t.Helper()
	simulated := os.Getenv("CUDASIM_DEVICES") != ""
	if err := cuda.Init(); err != nil {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if os.Getenv("GOTORCH_CHILD") != "" {
		return true
	}
	if !simulated {
		if len(env) > 0 {
			t.Skip("needs the simulated driver")
		}
		return true
	}
	report := filepath.Join(t.TempDir(), "report")
	cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "GOTORCH_CHILD=1", "CUDASIM_REPORT="+report), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	text, _ := os.ReadFile(report)
	assert.Empty(t, string(text), "the simulated driver found mistakes")
	return false
}

const floats = 1 << 12 // per example

// filled returns a dataset in which every tensor of example i is filled with i.
func filled(n int) got {
	return got{n, func(i int) (data.Example, error) {
		return data.Example{
			Input: torch.Full(torch.Shape{floats}, float32(i)), Target: torch.Full(torch.Shape{}, i),
			Value: map[string]any{"again": torch.Full(torch.Shape{floats}, float32(i))},
		}, nil
	}}
}

// fetched holds asynchronous copies of batches, from the device to page-locked memory. The
// test waits for them only after the loop, so that they read the batches as late as
// possible.
type fetched struct {
	from []float32
	to   []*torch.Tensor
}

func (f *fetched) add(x *torch.Tensor, first float32) {
	host := torch.Disown(torch.Empty(x.Shape(), torch.PinMemory(true)))
	f.from, f.to = append(f.from, first), append(f.to, host.Copy_(x, torch.NonBlocking(true)))
}

// check waits for the copies and compares them with the expected values.
func (f *fetched) check(t *testing.T) {
	t.Helper()
	settle()
	for k, x := range f.to {
		rows := x.View(-1, floats)
		for r := range rows.Size(0) {
			row := rows.Select(0, r)
			assert.Equal(t, []float32{f.from[k] + float32(r), f.from[k] + float32(r)},
				[]float32{row.Select(0, 0).Float32s()[0], row.Select(0, floats-1).Float32s()[0]}, "batch %d, row %d", k,
				r)
			_ = row.Close()
		}
		_, _ = rows.Close(), x.Close()
	}
}

// settle synchronizes the devices and allocates once on each, so that the allocators notice
// which events have finished.
func settle() {
	for i := range cuda.DeviceCount() {
		cuda.Synchronize(torch.CUDA.At(i))
		_ = torch.Empty(torch.Shape{1}, torch.CUDA.At(i)).Close()
	}
	_ = torch.Empty(torch.Shape{1}, torch.PinMemory(true)).Close()
}

// A step reads exactly the values that were copied to the device. The memory of a batch
// is not reused before the steps that read it are done, and page-locked memory is not
// reused before it has been copied. This holds with and without workers, on each device,
// and on a stream that the program made.
func TestCUDABatchesArrive(t *testing.T) {
	if !onCUDA(t) {
		return
	}
	const n, size = 24, 2
	for _, dev := range []torch.Device{torch.CUDA.At(0), torch.CUDA.At(cuda.DeviceCount() - 1)} {
		for workers := range 3 {
			for pin := range 2 {
				for kind, l := range filled(n).loaders(data.BatchSize(size), data.NumWorkers(workers),
					data.PinMemory(pin == 1), data.Device(dev)) {
					for form, loop := range forms {
						for own := range 2 {
							if kind == "stream" && workers > 1 {
								continue // the order of the batches varies
							}
							name := fmt.Sprintf("%v %d workers pin %d %s %s own %d", dev, workers, pin, kind, form, own)
							t.Run(name, func(t *testing.T) {
								defer torchtest.CheckLeaks(t)()
								var f fetched
								k := float32(0)
								run := func() {
									require.NoError(t, loop(l, func(b data.Batch) bool {
										first := k
										assert.Equal(t, dev, b.Input.Device())
										f.add(b.Input, first)
										f.add(b.Value.(map[string]any)["again"].(*torch.Tensor), first)
										k += size
										return true
									}))
								}
								if own == 1 {
									stream := cuda.NewStream(cuda.Device(dev))
									stream.Do(run)
								} else {
									run()
								}
								f.check(t)
							})
						}
					}
				}
			}
		}
	}
}

// The loop does not wait for a copy from page-locked memory. It yields the batch while the
// copy is still running.
func TestCUDACopiesAreNotWaitedFor(t *testing.T) {
	if !onCUDA(t, "CUDASIM_DEVICES=1") {
		return
	}
	defer torchtest.CheckLeaks(t)()
	for workers := range 2 {
		for b := range data.NewLoader(filled(4), data.PinMemory(true), data.NumWorkers(workers),
			data.Device(torch.CUDA.At(0))).All() {
			s := cuda.CurrentStream()
			assert.False(t, s.Query(), "%d workers, batch %d", workers, b.Index)
			s.Synchronize()
		}
	}
	settle()
}

// Without the Device option, batches in page-locked memory stay there.
func TestCUDAPinnedBatches(t *testing.T) {
	if !onCUDA(t) {
		return
	}
	for workers := range 3 {
		filled(6).each(t,
			func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
				require.NoError(t, loop(l, func(b data.Batch) bool {
					assert.True(t,
						b.Input.IsPinned() && b.Target.IsPinned() &&
							b.Value.(map[string]any)["again"].(*torch.Tensor).IsPinned())
					assert.Equal(t, b.Target.Float().Float32s(), b.Input.Select(1, floats-1).Float32s())
					return true
				}))
			}, data.BatchSize(2), data.PinMemory(true), data.NumWorkers(workers))
	}
}

// A loop that ends early, by break, panic or an error of the dataset, frees its device
// memory and its page-locked memory.
func TestCUDAEarlyEnd(t *testing.T) {
	if !onCUDA(t) {
		return
	}
	dev := torch.CUDA.At(0)
	held := func() int64 {
		settle()
		return memory.Allocated(dev)
	}
	bad := filled(20)
	bad.get = func(i int) (data.Example, error) {
		if i == 9 {
			return data.Example{}, errUnread
		}
		return filled(20).get(i)
	}
	_ = torch.Ones(torch.Shape{1}, dev).Close()
	before := held()
	for _, opts := range [][]data.LoaderOption{{data.PinMemory(true)}, {data.PinMemory(false)}} {
		bad.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
			for stop := range 3 {
				n := 0
				require.NoError(t, loop(l, func(data.Batch) bool { n++; return n <= stop }))
			}
			assert.PanicsWithValue(t, "stop", func() { l.Each(func(data.Batch) bool { panic("stop") }) })
			require.ErrorIs(t, loop(l, all), errUnread)
			assert.Equal(t, before, held())
		}, append(opts, data.BatchSize(2), data.Device(dev))...)
	}
	s, err := memory.HostStats()
	require.NoError(t, err)
	assert.Less(t, s.NumHostAlloc, int64(200), "all batches reuse the same page-locked memory")
}

// If the device has no memory for a batch, the loop's error names the batch.
func TestCUDANoMemoryForABatch(t *testing.T) {
	if !onCUDA(t, "CUDASIM_BYTES=33554432", "CUDASIM_DEVICES=1") {
		return
	}
	large := got{8, func(i int) (data.Example, error) {
		n := int64(1 << 10)
		if i == 3 {
			n = 1 << 24 // 64 MiB, of which the device has only 32
		}
		return data.Example{Input: torch.Empty(torch.Shape{n})}, nil
	}}
	large.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
		err := loop(l, all)
		require.ErrorIs(t, err, torch.ErrOutOfMemory)
		var e *data.ExampleError
		require.ErrorAs(t, err, &e)
		if l.Dataset() != nil {
			assert.Equal(t, 3, e.Batch)
		}
		settle()
	}, data.Device(torch.CUDA.At(0)))
}
