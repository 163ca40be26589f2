package faults_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch/distributed"
)

// A rank that hangs keeps its connections. The other rank gets an error at the next monitored
// barrier or, if it waits in a step, at the group's timeout. torchrun ends the hanging rank and
// restarts both.
func TestHangs(t *testing.T) {
	launcher := torchrun(t)
	for _, in := range []string{"barrier", "step"} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			s := patient(t, 40)
			s.StopIn, s.StopAt = in, 20
			// Only one of the two limits is short. The other one must not expire even on a busy
			// machine.
			limit := 5 * time.Second
			s.Timeout, s.Patience = limit, time.Minute
			if in == "barrier" {
				s.Timeout, s.Patience = time.Minute, limit
			}
			want := plain(t, straight(s))
			require.NoError(t, os.WriteFile(s.Hold, nil, 0o600)) // so that the training does not wait for this file
			e := launch(t, launcher, 1, s)
			stopped := e.until(t, 0, 1, func(s said) bool { return s.stops })
			at := time.Now()
			o := e.until(t, 0, 0, func(s said) bool { return s.outcome != nil }).outcome
			found := time.Since(at)
			assert.Contains(t, o.Kinds, distributed.ErrTimeout.Error(), o.Error)
			assert.Equal(t, []int{1}, o.Ranks, o.Error)
			assert.Equal(t, in == "barrier", o.Step == 20 && strings.Contains(o.Error, "MonitoredBarrier"), o.Error)
			assert.Less(t, found, limit+time.Minute, "far beyond the limit")
			if !thorough.Asked() { // kill the rank now; otherwise torchrun does so after half a minute
				require.NoError(t, syscall.Kill(stopped.pid, syscall.SIGKILL))
			}
			e.wait(t, 2*time.Minute)
			require.NoError(t, e.err, e.out.String())
			for r := range 2 {
				l := e.read(t, 1, r)
				assert.Equal(t, 20, l.resumed)
				assert.Equal(t, want, *l.outcome, "rank %d", r)
			}
			t.Logf("found after %v, with a limit of %v; over after %v", found.Round(10*time.Millisecond), limit,
				time.Since(at).Round(10*time.Millisecond))
		})
	}
}
