package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
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
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// asRank is an environment variable. If it is set, the test binary behaves like the
// program. The variable contains the settings as JSON.
const asRank = "GOTORCH_EXAMPLE_RANK"

// rankMain is like main, but reads settings instead of flags.
func rankMain() int {
	var s settings
	if err := json.Unmarshal([]byte(os.Getenv(asRank)), &s); err != nil {
		return report(err)
	}
	c := small(s.Out)
	c.compress, c.epochs, c.batch, c.accumulate = s.Compress, s.Epochs, s.Batch, s.Accumulate
	c.steps, c.saveEvery, c.resume = s.Steps, s.SaveEvery, true
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return report(run(ctx, c))
}

// settings contains the fields of config that tests pass to the processes that they
// start.
type settings struct {
	Out, Compress                               string
	Epochs, Batch, Accumulate, Steps, SaveEvery int
}

type process struct {
	*exec.Cmd
	out bytes.Buffer
}

// start starts n processes of the program, as torchrun does.
func start(t *testing.T, n int, c config) []*process {
	t.Helper()
	return startWith(t, n, c, func(rank int) []string {
		return []string{"RANK=" + strconv.Itoa(rank), "WORLD_SIZE=" + strconv.Itoa(n), "MASTER_ADDR=127.0.0.1"}
	})
}

// startWith starts n processes, each with the environment variables that launcher returns
// for its rank.
func startWith(t *testing.T, n int, c config, launcher func(rank int) []string) []*process {
	t.Helper()
	both := make([]*process, n)
	text, err := json.Marshal(settings{c.out, c.compress, c.epochs, c.batch, c.accumulate, c.steps, c.saveEvery})
	require.NoError(t, err)
	env := append(os.Environ(), asRank+"="+string(text), "MASTER_PORT="+freePort(t))
	for r := range both {
		p := &process{Cmd: again.Command("-test.run=^$")}
		p.Env = append(slices.Clip(env), launcher(r)...)
		p.Stdout, p.Stderr = &p.out, &p.out
		require.NoError(t, p.Start())
		t.Cleanup(func() { _ = p.Process.Kill() })
		both[r] = p
	}
	return both
}

func freePort(t *testing.T) string {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// wait returns the exit status. It fails the test if the process hangs.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case <-ended:
	case <-time.After(10 * time.Minute):
		_ = p.Process.Kill()
		require.Fail(t, "a process hangs", "%s", &p.out)
	}
	return p.ProcessState.ExitCode()
}

// firstState waits until the first state has been saved.
func firstState(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool {
		states, err := checkpoint.List(dir)
		return err == nil && len(states) > 0
	}, 5*time.Minute, time.Millisecond)
}

// The program runs with the environment variables that Slurm sets, too.
func TestSlurmVariables(t *testing.T) {
	c, slurm := small(t.TempDir()), small(t.TempDir())
	c.steps, slurm.steps = 2, 2
	want := trained(t, 2, c)
	for _, p := range startWith(t, 2, slurm, func(rank int) []string {
		return []string{
			"SLURM_PROCID=" + strconv.Itoa(rank), "SLURM_NTASKS=2", "SLURM_JOB_NODELIST=localhost",
			"SLURM_JOB_ID=1",
		}
	}) {
		require.Zero(t, p.wait(t), p.out.String())
	}
	require.NoError(t, equal(want, parameters(t, slurm)))
}

// kill returns a function that kills the process with the given rank, and checks that the
// other process reports that rank.
func kill(rank int) func(t *testing.T, both []*process) {
	return func(t *testing.T, both []*process) {
		require.NoError(t, both[rank].Process.Kill())
		other := both[1-rank]
		assert.Equal(t, 1, other.wait(t), other.out.String())
		assert.Contains(t, other.out.String(), fmt.Sprint("a rank is gone: rank ", rank))
		assert.Regexp(t, `after step \d+; continue with -out .* -resume`, other.out.String())
		both[rank].wait(t)
	}
}

// When a process is killed, the other process reports the killed process's rank and saves
// a state. After Ctrl-C both exit with status 130. After a restart the training ends with
// the same parameters as an undisturbed training run, bit for bit.
func TestGoesOn(t *testing.T) {
	for name, stop := range map[string]func(t *testing.T, both []*process){
		"killed": kill(1),
		// Rank 0 saves the states, and runs the store through which processes find each
		// other.
		"rank 0 killed": kill(0),
		"interrupted": func(t *testing.T, both []*process) {
			for _, p := range both {
				require.NoError(t, p.Process.Signal(syscall.SIGINT))
			}
			for _, p := range both {
				assert.Equal(t, 130, p.wait(t), p.out.String())
				assert.Contains(t, p.out.String(), "interrupted, after step")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := small(t.TempDir())
			c.saveEvery, c.epochs = 1, 1_000_000 // the test stops the training long before the last epoch
			both := start(t, 2, c)
			firstState(t, c.out)
			stop(t, both)
			at := newestStep(c.out)
			require.Positive(t, at)
			// An epoch has 8 steps, so the training is not finished.
			c.epochs, c.saveEvery = at/8+1, 0
			straight := c
			straight.out = t.TempDir()
			require.NoError(t, equal(trained(t, 2, straight), trained(t, 2, c)))
		})
	}
}

// reference.py prints the same numbers with the same flags.
func TestPython(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	c := small(t.TempDir())
	port := freePort(t)
	var text [2][]byte
	var both sync.WaitGroup
	for r := range text {
		both.Go(func() {
			cmd := exec.Command(python, "reference.py", "--epochs=2", "--batch=16", "--examples=256", "--seed=3")
			cmd.Env = append(os.Environ(), "RANK="+strconv.Itoa(r), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
				"MASTER_PORT="+port)
			// Ignore the exit status. Python's threads may end the process with a signal
			// after the program has done its work.
			text[r], _ = cmd.CombinedOutput()
		})
	}
	both.Wait()
	lines := regexp.MustCompile(`step (\d+): loss ([\d.]+), accuracy ([\d.]+)`)
	want := lines.FindAllStringSubmatch(string(text[0]), -1)
	require.Len(t, want, 2)
	var out bytes.Buffer
	for _, p := range start(t, 2, c) {
		require.Zero(t, p.wait(t), p.out.String())
		fmt.Fprint(&out, &p.out)
	}
	got := lines.FindAllStringSubmatch(out.String(), -1)
	require.Len(t, got, 2, out.String())
	for i := range want {
		assert.Equal(t, want[i][1], got[i][1])
		for j := 2; j < 4; j++ {
			w, _ := strconv.ParseFloat(want[i][j], 64)
			g, _ := strconv.ParseFloat(got[i][j], 64)
			assert.InDelta(t, w, g, 2e-3, "%s\n%s", text[0], &out)
		}
	}
}
