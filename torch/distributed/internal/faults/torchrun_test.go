package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/pythontest"
)

// elastic is a training run that torchrun starts, and restarts when a rank fails.
type elastic struct {
	*process
	logs string
}

// torchrun returns the path of torchrun, or skips the test if there is none.
func torchrun(t testing.TB) string {
	t.Helper()
	python := pythontest.Interpreter(t, "torch")
	path := filepath.Join(filepath.Dir(python), "torchrun")
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no torchrun beside " + python)
	}
	if os.Getenv(again.Emulator) != "" {
		t.Skip("torchrun starts programs of this machine")
	}
	return path
}

// launch starts two ranks with torchrun. restarts is the maximum number of times that
// torchrun restarts them.
func launch(t testing.TB, torchrun string, restarts int, s settings) *elastic {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	e := &elastic{logs: t.TempDir()}
	e.process = start(t,
		exec.Command(torchrun, "--no-python", "--nnodes=1", "--nproc-per-node=2",
			"--max-restarts="+strconv.Itoa(restarts),
			"--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--monitor-interval=0.1", "--redirects=1",
			"--log-dir="+e.logs, self, "-test.run=^$"),
		variable(t, s), "GLOO_SOCKET_IFNAME=lo")
	t.Cleanup(func() { e.reap(t) })
	return e
}

// read returns what a rank has printed in a life. Life 0 begins when torchrun first
// starts the ranks, and each restart begins a new life.
func (e *elastic) read(t testing.TB, life, rank int) said {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.logs, "*", "attempt_"+strconv.Itoa(life), strconv.Itoa(rank),
		"stdout.log"))
	require.NoError(t, err)
	if len(files) == 0 {
		return said{resumed: -1}
	}
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return read(t, string(text))
}

// until waits until the function far returns true for what a rank has printed in a life.
func (e *elastic) until(t testing.TB, life, rank int, far func(s said) bool) said {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s := e.read(t, life, rank)
		if far(s) {
			return s
		}
		select {
		case <-e.ended:
			require.Fail(t, "the training has ended", "life %d of rank %d: %v\n%s", life, rank, s, e.out.String())
		default:
			require.True(t, time.Now().Before(deadline), "life %d of rank %d: %v\n%s", life, rank, s, e.out.String())
		}
	}
}

// lives returns how many times torchrun has started the ranks.
func (e *elastic) lives(t testing.TB) int {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(e.logs, "*", "attempt_*"))
	require.NoError(t, err)
	return len(folders)
}

// reap kills torchrun and then the ranks of its last start, which run in their own sessions.
func (e *elastic) reap(t testing.TB) {
	_ = syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)
	<-e.ended
	self, err := os.Executable()
	require.NoError(t, err)
	for life := range e.lives(t) {
		for rank := range 2 {
			pid := e.read(t, life, rank).pid
			if path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && path == self {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
