package distributed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// role is the environment variable that makes this program run as one rank of a test with several
// processes.
const role = "GOTORCH_DISTRIBUTED_ROLE"

// roles are the programs that a rank may run. A rank prints their result.
var roles = map[string]func(ctx context.Context, g *distributed.ProcessGroup) (any, error){
	"exchange": exchange,
	"train":    train,
	"ddp":      trainDDP,
	"join":     joinDDP,
	"mismatch": func(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
		x := torch.Ones(torch.Shape{int64(3 + g.Rank()%2)})
		defer func() { _ = x.Close() }()
		return nil, g.AllReduce(ctx, x)
	},
	"again": func(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
		for range 2 { // the second group uses the same store
			if err := g.Close(); err != nil {
				return nil, err
			}
			var err error
			if g, err = distributed.InitProcessGroup(ctx, distributed.Gloo); err != nil {
				return nil, err
			}
			if _, err := exchange(ctx, g); err != nil {
				return nil, err
			}
		}
		return exchange(ctx, g)
	},
	"wait": func(ctx context.Context, g *distributed.ProcessGroup) (any, error) { return nil, waitForAll(ctx, g) },
	"monitor": func(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
		if err := g.Barrier(ctx); err != nil {
			return nil, err
		}
		fmt.Println("ready") // from here on the test may stop the rank
		if g.Rank() > 0 {
			<-ctx.Done() // waits, and sends nothing to rank 0
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return nil, g.MonitoredBarrier(ctx, distributed.WaitAllRanks(true))
	},
}

// outcome is what a rank prints when it ends.
type outcome struct {
	Result any
	Error  string
	Kinds  []string // the kinds of the error
	Ranks  []int
}

// rankMain is the program of a rank.
func rankMain(name string) int {
	ctx, cancel := context.WithTimeout(background, 100*time.Second)
	defer cancel()
	var o outcome
	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo,
		distributed.InitMethod(os.Getenv("GOTORCH_DISTRIBUTED_METHOD")))
	if err == nil {
		o.Result, err = roles[name](ctx, g)
		err = errors.Join(err, g.Close())
	}
	if err != nil {
		o.Error = err.Error()
		for _, kind := range []error{
			distributed.ErrPeer, distributed.ErrTimeout, distributed.ErrMismatch,
			distributed.ErrInUse, distributed.ErrEnvironment, distributed.ErrStore,
		} {
			if errors.Is(err, kind) {
				o.Kinds = append(o.Kinds, kind.Error())
			}
		}
		var e *distributed.Error
		if errors.As(err, &e) {
			o.Ranks = e.Ranks
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("outcome", string(text))
	return 0
}

// process is a running rank.
type process struct {
	cmd   *exec.Cmd
	out   *output
	ended chan error
}

// output collects the output of a process.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// freePort returns an unused port.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// start starts a command as a rank. The process is killed when the test ends.
func start(t testing.TB, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	p := &process{cmd: cmd, out: &output{}, ended: make(chan error, 1)}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), launchers),
		append([]string{"GLOO_SOCKET_IFNAME=lo", "OMP_NUM_THREADS=1"}, env...)...)
	cmd.Stdout, cmd.Stderr = p.out, p.out
	require.NoError(t, cmd.Start())
	go func() { p.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Kill()
	})
	return p
}

// launchers reports whether the launcher of these tests sets the variable v.
func launchers(v string) bool {
	name, _, _ := bytes.Cut([]byte(v), []byte("="))
	return slices.Contains([]string{"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"}, string(name))
}

// launch starts n ranks of this program.
func launch(t testing.TB, name string, n int, env func(rank int) []string) []*process {
	t.Helper()
	all := make([]*process, n)
	for r := range all {
		all[r] = start(t, again.Command("-test.run=^$"), append(env(r), role+"="+name)...)
	}
	return all
}

// byEnvironment returns the variables that torchrun and Kubeflow set.
func byEnvironment(port string, world int) func(rank int) []string {
	return func(rank int) []string {
		return []string{
			"RANK=" + strconv.Itoa(rank), "WORLD_SIZE=" + strconv.Itoa(world), "MASTER_ADDR=127.0.0.1",
			"MASTER_PORT=" + port, "GOTORCH_DISTRIBUTED_METHOD=env://",
		}
	}
}

// wait waits for a rank to end and returns its outcome.
func (p *process) wait(t testing.TB) outcome {
	t.Helper()
	select {
	case err := <-p.ended:
		require.NoError(t, err, p.out.String())
	case <-time.After(10 * time.Minute):
		require.Fail(t, "a rank does not end", p.out.String())
	}
	return said(t, p.out.String())
}

// said parses a rank's printed outcome.
func said(t testing.TB, text string) (o outcome) {
	t.Helper()
	_, line, ok := bytes.Cut([]byte(text), []byte("outcome "))
	require.True(t, ok, text)
	require.NoError(t, json.NewDecoder(bytes.NewReader(line)).Decode(&o), text)
	return o
}

// until waits until a rank has printed text.
func (p *process) until(t testing.TB, text string) {
	t.Helper()
	there := func() bool { return bytes.Contains([]byte(p.out.String()), []byte(text)) }
	for deadline := time.Now().Add(5 * time.Minute); !there(); time.Sleep(10 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), p.out.String())
	}
}

// exchange runs several collectives, and returns their results.
func exchange(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
	r, n := float64(g.Rank()), int64(g.Size())
	x := torch.Full(torch.Shape{3}, r+1)
	b := torch.Full(torch.Shape{2}, r)
	out := torch.Zeros(torch.Shape{2 * n})
	part := torch.Zeros(torch.Shape{2})
	whole := torch.Arange(float64(2 * n)).To(torch.Float32).AddScalar(r)
	err := errors.Join(g.AllReduce(ctx, x), g.Broadcast(ctx, b, 1),
		g.AllGatherIntoTensor(ctx, out, torch.Full(torch.Shape{2}, r)),
		g.ReduceScatterTensor(ctx, part, whole))
	sub, e := g.NewGroup(ctx, []int{0, int(n) - 1})
	if err = errors.Join(err, e); err != nil {
		return nil, err
	}
	y := torch.Full(torch.Shape{1}, r)
	if sub.Rank() >= 0 {
		err = errors.Join(sub.AllReduce(ctx, y), sub.Close())
	}
	p := torch.Full(torch.Shape{1}, r)
	err = errors.Join(err, g.Barrier(ctx))
	// This must be last: with TORCH_DISTRIBUTED_DEBUG, libtorch counts these calls only on the two
	// ranks, and would report a mismatch for later collectives.
	if g.Rank() == 0 {
		err = errors.Join(err, g.Send(ctx, p, 1))
	} else if g.Rank() == 1 {
		from, e := g.Recv(ctx, p, 0)
		err = errors.Join(err, e)
		if from != 0 {
			err = errors.Join(err, fmt.Errorf("received from %d", from))
		}
	}
	return []any{x.Float32s(), b.Float32s(), out.Float32s(), part.Float32s(), y.Float32s(), p.Float32s()}, err
}

// exchanged returns the expected result of exchange on a rank.
func exchanged(rank, n int) string {
	sum, shift := n*(n+1)/2, n*(n-1)/2
	var all []int
	for r := range n {
		all = append(all, r, r)
	}
	y, p := rank, rank
	if rank == 0 || rank == n-1 {
		y = n - 1
	}
	if rank == 1 {
		p = 0
	}
	// Encoding numbers cannot fail.
	text, _ := json.Marshal([][]int{{sum, sum, sum}, {1, 1}, all, {2*rank*n + shift, (2*rank+1)*n + shift}, {y}, {p}})
	return string(text)
}

func waitForAll(ctx context.Context, g *distributed.ProcessGroup) error {
	if err := g.Barrier(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	x := torch.Ones(torch.Shape{4})
	defer func() { _ = x.Close() }()
	for {
		if err := g.AllReduce(ctx, x); err != nil {
			return err
		}
	}
}

func TestLaunch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store")
	port := freePort(t)
	for name, env := range map[string]func(rank int) []string{
		"environment": byEnvironment(port, 3),
		"tcp": func(rank int) []string {
			return []string{"GOTORCH_DISTRIBUTED_METHOD=tcp://127.0.0.1:" + port + "?world_size=3&rank=" +
				strconv.Itoa(rank)}
		},
		"file": func(rank int) []string {
			return []string{"GOTORCH_DISTRIBUTED_METHOD=file://" + file + "?world_size=3&rank=" + strconv.Itoa(rank)}
		},
		"Slurm": func(rank int) []string {
			return []string{
				"SLURM_PROCID=" + strconv.Itoa(rank), "SLURM_NTASKS=3", "SLURM_JOB_NODELIST=localhost",
				"SLURM_JOB_ID=1", "MASTER_PORT=" + port, "GOTORCH_DISTRIBUTED_METHOD=env://",
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for r, p := range launch(t, "exchange", 3, env) {
				o := p.wait(t)
				require.Empty(t, o.Error, "rank %d", r)
				got, err := json.Marshal(o.Result)
				require.NoError(t, err)
				assert.JSONEq(t, exchanged(r, 3), string(got), "rank %d", r)
			}
		})
	}
}

func TestTorchrun(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	torchrun := filepath.Join(filepath.Dir(python), "torchrun")
	if _, err := os.Stat(torchrun); err != nil {
		t.Skip("no torchrun beside " + python)
	}
	if os.Getenv(again.Emulator) != "" {
		t.Skip("torchrun starts programs of this machine")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, name := range []string{"exchange", "again"} {
		logs := t.TempDir()
		p := start(t,
			exec.Command(torchrun, "--no-python", "--standalone", "--nproc-per-node=2", "--redirects=1",
				"--log-dir="+logs, self, "-test.run=^$"),
			role+"="+name, "GOTORCH_DISTRIBUTED_METHOD=env://")
		require.NoError(t, <-p.ended, p.out.String())
		files, err := filepath.Glob(filepath.Join(logs, "*", "attempt_0", "*", "stdout.log"))
		require.NoError(t, err)
		require.Len(t, files, 2)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			assert.Empty(t, said(t, string(text)).Error, name)
		}
	}
}

// If a rank is killed, the errors of all others name it, long before any timeout.
func TestKilledRank(t *testing.T) {
	for _, killed := range []int{1, 0} { // rank 0 also runs the store's server
		t.Run(fmt.Sprint("rank ", killed), func(t *testing.T) {
			all := launch(t, "wait", 3, byEnvironment(freePort(t), 3))
			for _, p := range all {
				p.until(t, "ready")
			}
			require.NoError(t, all[killed].cmd.Process.Kill())
			for r, p := range all {
				if r == killed {
					continue
				}
				o := p.wait(t)
				assert.Contains(t, o.Kinds, distributed.ErrPeer.Error(), o.Error)
				assert.Equal(t, []int{killed}, o.Ranks, o.Error)
			}
		})
	}
}

// A rank that hangs keeps its connections. The monitored barrier names it.
func TestStoppedRank(t *testing.T) {
	all := launch(t, "monitor", 2, byEnvironment(freePort(t), 2))
	all[1].until(t, "ready")
	require.NoError(t, all[1].cmd.Process.Signal(syscall.SIGSTOP))
	o := all[0].wait(t)
	assert.Contains(t, o.Kinds, distributed.ErrTimeout.Error(), o.Error)
	assert.Equal(t, []int{1}, o.Ranks, o.Error)
}

// libtorch's own comparison of calls detects the same mistakes as gotorch's.
func TestDetail(t *testing.T) {
	env := byEnvironment(freePort(t), 3)
	for r, p := range launch(t, "mismatch", 3, func(rank int) []string {
		return append(env(rank), "TORCH_DISTRIBUTED_DEBUG=DETAIL")
	}) {
		o := p.wait(t)
		assert.Contains(t, o.Kinds, distributed.ErrMismatch.Error(), "rank %d: %s", r, o.Error)
	}
}
