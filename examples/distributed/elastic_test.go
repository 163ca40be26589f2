package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// The test kills processes at random moments: twice, or twenty times in a thorough run.
// torchrun restarts the processes, which repeat the steps since the newest saved state. The
// final parameters are bitwise equal to the result of an undisturbed training run.
func TestKilledAgainAndAgain(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	torchrun := filepath.Join(filepath.Dir(python), "torchrun")
	if _, err := os.Stat(torchrun); err != nil {
		t.Skip("there is no torchrun beside " + python)
	}
	if sanitized.On {
		t.Skip("the test starts other processes, which the detector makes too slow")
	}
	kills := thorough.Or(20, 2)
	straight := small(t.TempDir())
	// An epoch has 8 steps. Fewer steps than that run between two kills.
	straight.epochs = 2 + kills
	want := trained(t, 2, straight)

	c := straight
	c.out, c.saveEvery = t.TempDir(), 2
	var out bytes.Buffer
	cmd := underTorchrun(t, torchrun, c, &out)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline, limited := t.Deadline()
	if !limited {
		deadline = time.Now().Add(time.Hour)
	}
	deadline = deadline.Add(-time.Minute) // leaves time to print torchrun's output
	random := rand.New(rand.NewPCG(1, 2))
	killed, newest, began := 0, 0, time.Now()
	for killed < kills && time.Now().Before(deadline) {
		step := newestStep(c.out)
		require.GreaterOrEqual(t, step, newest, "a state is lost")
		if step == newest || step < newest+random.IntN(6) {
			if len(ended) > 0 {
				break
			}
			time.Sleep(time.Millisecond) // wait until a newer state is saved
			continue
		}
		newest = step
		if workers := childrenOf(cmd.Process.Pid); len(workers) == 2 &&
			syscall.Kill(workers[random.IntN(2)], syscall.SIGKILL) == nil {
			killed++
		}
	}
	select {
	case err := <-ended:
		require.NoError(t, err, tail(&out))
	case <-time.After(time.Until(deadline)):
		require.Fail(t, "the training hangs", "%d kills, step %d\n%s", killed, newestStep(c.out), tail(&out))
	}
	t.Logf("%d kills in %v", killed, time.Since(began).Round(time.Second))
	assert.GreaterOrEqual(t, killed, kills/2, "the training was over sooner")
	require.NoError(t, equal(want, parameters(t, c)))
	// The remaining process notices that the other process is gone, unless torchrun ends
	// it first.
	assert.Regexp(t, "a rank is gone: rank|interrupted, after step", out.String())
}

// underTorchrun starts two processes of the program with torchrun, which restarts both when
// one fails.
func underTorchrun(t *testing.T, torchrun string, c config, out *bytes.Buffer) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(settings{c.out, c.compress, c.epochs, c.batch, c.accumulate, c.steps, c.saveEvery})
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(torchrun, "--no-python", "--nnodes=1", "--nproc-per-node=2", "--max-restarts=1000",
		"--monitor-interval=0.05", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", self, "-test.run=^$")
	cmd.Env = append(os.Environ(), asRank+"="+string(text), "OMP_NUM_THREADS=1")
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return cmd
}

// newestStep returns the step of the newest saved state, or 0 if no state is saved.
func newestStep(dir string) (step int) {
	states, err := checkpoint.List(dir)
	if err != nil {
		return 0
	}
	for _, s := range states {
		step = max(step, s.Step)
	}
	return step
}

// childrenOf returns the processes that any thread of a process has started.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// tail returns the last lines of output.
func tail(out *bytes.Buffer) string {
	text := out.String()
	return text[max(0, len(text)-4000):]
}
