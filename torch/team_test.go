package torch_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/team"
	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/fft"
	"github.com/gotorch/gotorch/torch/linalg"
)

// libgomps is the environment setting that makes libgomp, not gotorch's own threads, run parallel
// regions.
const libgomps = "GOTORCH_OPENMP=system"

// An operation computes a result from its own tensors.
type operation struct {
	name string
	run  func() *torch.Tensor
}

// parallelOperations returns operations that are large enough to be divided among threads. They use
// kernels of libtorch, MKL and oneDNN, including kernels of gradients.
func parallelOperations(t *testing.T) []operation {
	gen := torch.NewGenerator(torch.CPU).ManualSeed(3)
	random := func(shape ...int64) *torch.Tensor {
		x := torch.Randn(shape, gen)
		t.Cleanup(func() { _ = x.Close() })
		return x
	}
	a, b, wide := random(160, 160), random(160, 160), random(96, 1500)
	batch, image, kernel := random(12, 48, 48), random(4, 8, 28, 28), random(16, 8, 3, 3)
	q := random(2, 4, 64, 32)
	return []operation{
		{"product", func() *torch.Tensor { return a.MatMul(b) }},
		{"batched product", func() *torch.Tensor { return batch.Bmm(batch) }},
		{"convolution", func() *torch.Tensor { return F.Conv2d(image, kernel, nil) }},
		{"gradient of a convolution", func() *torch.Tensor {
			w := kernel.Detach().RequiresGrad_()
			F.Conv2d(image, w, nil).Square().Sum().Backward()
			return w.Grad()
		}},
		{"product in a hook of a backward pass", func() *torch.Tensor {
			x := a.Detach().RequiresGrad_()
			x.RegisterHook(func(grad *torch.Tensor) *torch.Tensor { return grad.MatMul(b) })
			x.Square().Sum().Backward()
			return x.Grad()
		}},
		{"FFT", func() *torch.Tensor { return fft.RFFT(wide).ViewAsReal() }},
		{"FFT of two dimensions", func() *torch.Tensor { return fft.FFT2(batch).ViewAsReal() }},
		{"sum", func() *torch.Tensor { return wide.Sum() }},
		{"sum of columns", func() *torch.Tensor { return wide.Sum(torch.Dim(0)) }},
		{"softmax", func() *torch.Tensor { return F.Softmax(wide, 1) }},
		{"cumulative sum", func() *torch.Tensor { return wide.CumSum(0) }},
		{"sort", func() *torch.Tensor { v, _ := wide.Sort(); return v }},
		{"attention", func() *torch.Tensor { return F.ScaledDotProductAttention(q, q, q) }},
		{"inverse", func() *torch.Tensor { return linalg.Inv(a) }},
		{"batched inverse", func() *torch.Tensor { return linalg.Inv(batch) }},
	}
}

// bits returns the bits of an operation's result.
func (o operation) bits() []uint32 {
	var out []uint32
	torch.Scope(func() {
		for _, x := range o.run().Contiguous().Float32s() {
			out = append(out, math.Float32bits(x))
		}
	})
	return out
}

// beside runs fn while other goroutines repeat all operations.
func beside(others []operation, goroutines int, fn func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for k := i; ; k++ {
				select {
				case <-done:
					return
				default:
					others[k%len(others)].bits()
				}
			}
		})
	}
	fn()
	close(done)
	wg.Wait()
}

func needTeam(t *testing.T) {
	t.Helper()
	if !team.Active() {
		t.Skip("libgomp runs parallel regions here, so operators share its threads and results depend on how many run")
	}
}

// The bits of a result depend only on the number of threads.
func TestLoadChangesNoBit(t *testing.T) {
	needTeam(t)
	ops := parallelOperations(t)
	defer torch.SetNumThreads(torch.NumThreads())
	for _, n := range []int{1, 2, 3, 4, 8, 64} {
		torch.SetNumThreads(n)
		want := make([][]uint32, len(ops))
		for i, o := range ops {
			want[i] = o.bits()
		}
		for i, o := range ops {
			assert.True(t, slices.Equal(want[i], o.bits()), "%s, %d threads", o.name, n)
		}
		beside(ops, 3, func() {
			for i, o := range ops {
				assert.True(t, slices.Equal(want[i], o.bits()), "%s, %d threads, beside others", o.name, n)
			}
		})
	}
}

// compareMixed runs operations on many goroutines until more returns false, and compares them with
// the same operations run alone.
func compareMixed(t *testing.T, goroutines int, more func(call int) bool) {
	ops := parallelOperations(t)
	want := make([][]uint32, len(ops))
	for i, o := range ops {
		want[i] = o.bits()
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for call := 0; more(call); call++ {
				i := (g*5 + call) % len(ops)
				if !assert.True(t, slices.Equal(want[i], ops[i].bits()), ops[i].name) {
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestMixedOperatorsOnManyGoroutines(t *testing.T) {
	needTeam(t)
	more := func(call int) bool { return call < 20 }
	if thorough.Asked() {
		end := time.Now().Add(time.Minute)
		more = func(int) bool { return time.Now().Before(end) }
	}
	defer torch.SetNumThreads(torch.NumThreads())
	for _, n := range []int{torch.NumThreads(), 4} { // 4 may exceed the number of cores
		torch.SetNumThreads(n)
		compareMixed(t, 24, more)
	}
}

func TestAThousandGoroutines(t *testing.T) {
	needTeam(t)
	compareMixed(t, sanitized.Or(1000, 300), func(call int) bool { return call < 2 })
}

// The number of threads changes while operators run. This runs in a separate process, because after
// a change of GOMAXPROCS Go's count of completed cleanups may lag behind, and other tests wait for
// it.
func TestThreadCountsChangeWhileOperatorsRun(t *testing.T) {
	if !again.With(t, "GOTORCH_TEST_THREAD_COUNTS=1") {
		return
	}
	ops := parallelOperations(t)
	defer torch.SetNumThreads(torch.NumThreads())
	torch.SetNumThreads(3)
	var want [][]uint32
	torch.WithNumThreads(1, func() {
		for _, o := range ops {
			want = append(want, o.bits())
		}
	})
	beside(ops, 3, func() {
		for round := range 4 {
			torch.SetNumThreads([]int{1, 8, 2, 5}[round])
			runtime.GOMAXPROCS(1 + round%3)
			assert.Equal(t, []int{1, 8, 2, 5}[round], torch.NumThreads())
			torch.WithNumThreads(1, func() {
				for i, o := range ops {
					assert.True(t, slices.Equal(want[i], o.bits()), o.name)
				}
			})
		}
	})
}

// Results have the same bits with gotorch's threads as with libgomp's.
func TestBitsAreThoseOfLibgomp(t *testing.T) {
	const prefix = "bits of "
	if slices.Contains(os.Environ(), libgomps) {
		defer torch.SetNumThreads(torch.NumThreads())
		for _, n := range []int{1, 2, 3} {
			torch.SetNumThreads(n)
			for _, o := range parallelOperations(t) {
				fmt.Println(prefix, o.name, n, hash(o.bits()))
			}
		}
		return
	}
	needTeam(t)
	cmd := again.Command("-test.run=^TestBitsAreThoseOfLibgomp$", "-test.v")
	cmd.Env = append(cmd.Environ(), libgomps)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	defer torch.SetNumThreads(torch.NumThreads())
	for _, n := range []int{1, 2, 3} {
		torch.SetNumThreads(n)
		for _, o := range parallelOperations(t) {
			assert.Contains(t, string(out), fmt.Sprintln(prefix, o.name, n, hash(o.bits())))
		}
	}
}

func hash(bits []uint32) (h uint64) {
	for _, b := range bits {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// A kernel that processes several matrices at once calls MKL inside its parallel region. MKL must
// then use one thread.
func TestBatchesOfMatrices(t *testing.T) {
	defer torch.SetNumThreads(torch.NumThreads())
	for _, n := range []int{torch.NumThreads(), 1, 2, 4} {
		torch.SetNumThreads(n)
		for _, dtype := range []torch.DType{torch.Float32, torch.Float64, torch.Complex128} {
			torch.Scope(func() {
				const size = 220
				one := torch.Eye(size, dtype)
				a := torch.Randn(torch.Shape{3, size, size}, dtype,
					torch.NewGenerator(torch.CPU).ManualSeed(1)).Add(one.MulScalar(40))
				near := func(x, want *torch.Tensor, what string) {
					assert.Less(t, x.Sub(want).Abs().Max().Item(), 1e-3, "%s, %v, %d threads", what, dtype, n)
				}
				near(a.MatMul(linalg.Inv(a)), one, "inverse")
				near(a.MatMul(linalg.Solve(a, one.Expand(3, -1, -1))), one, "solution")
				p, l, u := linalg.LU(a)
				near(p.MatMul(l).MatMul(u), a, "LU")
				near(linalg.MatrixPower(a, -1).MatMul(a), one, "power")
				first := linalg.Inv(a.Index(0))
				near(first, linalg.Inv(a).Index(0), "one of the batch")
			})
		}
	}
}

// TestBatchesOfMatrices also passes with other OpenMP settings.
func TestBatchesOfMatricesWithSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("starting the tests again is left out of short runs")
	}
	settings := []string{
		libgomps, "OMP_THREAD_LIMIT=1", "OMP_THREAD_LIMIT=3", "OMP_PROC_BIND=true",
		"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=2",
	}
	for _, setting := range settings[:sanitized.Or(len(settings), 1)] {
		cmd := again.Command("-test.run=^TestBatchesOfMatrices$", "-test.v")
		cmd.Env = append(cmd.Environ(), setting)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s: %s", setting, out)
		assert.Contains(t, string(out), "--- PASS: TestBatchesOfMatrices", setting)
	}
}

// An invalid GOTORCH_OPENMP is reported.
func TestUnknownSettingOfOpenMP(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the team is for Linux")
	}
	for setting, told := range map[string]bool{
		"GOTORCH_OPENMP=libgomp": true, "GOTORCH_OPENMP=SYSTEM": false,
		"GOTORCH_OPENMP=": false,
	} {
		cmd := again.Command("-test.run=^TestWithNumThreads$")
		cmd.Env = append(cmd.Environ(), setting)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, told, strings.Contains(string(out), `GOTORCH_OPENMP is "libgomp"; set it to "system"`),
			setting)
	}
}

// With one CPU there are no worker threads. Operators whose work is divided still finish.
func TestOneCPU(t *testing.T) {
	const there = "GOTORCH_TEST_ONE_CPU=1"
	if slices.Contains(os.Environ(), there) {
		if os.Getenv("OMP_NUM_THREADS") == "" {
			assert.Equal(t, 1, torch.NumThreads())
		}
		torch.SetNumThreads(4)
		compareMixed(t, 3, func(call int) bool { return call < 20 })
		return
	}
	needTeam(t)
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip("there is no taskset to choose the CPUs of a process")
	}
	cmd := again.Command("-test.run=^TestOneCPU$", "-test.v")
	cmd.Path, cmd.Args = taskset, append([]string{"taskset", "-c", firstCPU(t)}, cmd.Args...)
	cmd.Env = append(cmd.Environ(), there)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: TestOneCPU")
}

// firstCPU returns the number of a CPU that the process may use.
func firstCPU(t *testing.T) string {
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "Cpus_allowed_list:")
	require.True(t, found)
	return regexp.MustCompile(`\d+`).FindString(list)
}

// While no operator runs, the workers sleep: they use no CPU and do not wake up.
func TestIdleWorkersSleep(t *testing.T) {
	needTeam(t)
	defer torch.SetNumThreads(torch.NumThreads())
	torch.SetNumThreads(4)
	for _, o := range parallelOperations(t) {
		o.bits()
	}
	before, unchanged := workers(t), 0
	for end := time.Now().Add(time.Minute); unchanged < 100; runtime.Gosched() {
		require.True(t, time.Now().Before(end), "workers of an idle process: %v", before)
		now := workers(t)
		asleep := !slices.ContainsFunc(now, func(w string) bool { return !strings.HasPrefix(w, "S (sleeping) ") })
		if unchanged++; !asleep || !slices.Equal(now, before) {
			before, unchanged = now, 0
		}
	}
	if runtime.NumCPU() > 1 {
		assert.NotEmpty(t, before)
	}
}

// workers returns each worker's state and how often it has given up its CPU.
func workers(t *testing.T) []string {
	files, err := filepath.Glob("/proc/self/task/*/status")
	require.NoError(t, err)
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		field := func(name string) string {
			_, value, _ := strings.Cut(string(text), name+":\t")
			value, _, _ = strings.Cut(value, "\n")
			return value
		}
		if field("Name") == "team" {
			out = append(out, strings.Join([]string{
				field("State"), field("voluntary_ctxt_switches"), field("nonvoluntary_ctxt_switches"), field("Pid"),
			}, " "))
		}
	}
	return out
}
