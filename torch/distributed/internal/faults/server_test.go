package faults_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/torch/distributed"
)

// Rank 0 hangs, and with it the store's server. Rank 1 still ends at the group's timeout, although
// it asks the store which ranks are alive.
func TestServerHangs(t *testing.T) {
	s := settings{Steps: 1 << 30, Timeout: 3 * time.Second}
	port := freePort(t)
	var both [2]*process
	for r := range both {
		both[r] = start(t, again.Command("-test.run=^$"),
			append(byEnvironment(r, "127.0.0.1", port, "lo"), variable(t, s))...)
	}
	both[1].until(t, "step 3\n")
	require.NoError(t, both[0].cmd.Process.Signal(syscall.SIGSTOP))
	at := time.Now()
	both[1].wait(t, s.Timeout+20*time.Second)
	o := read(t, both[1].out.String()).outcome
	require.NotNil(t, o, both[1].out.String())
	assert.Contains(t, o.Kinds, distributed.ErrTimeout.Error(), o.Error)
	assert.Equal(t, []int{0}, o.Ranks, o.Error)
	t.Logf("over after %v: %s", time.Since(at).Round(10*time.Millisecond), o.Error)
}
