package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch/distributed"
)

// patient returns settings with which the training ends only after the test has created
// the file Hold.
func patient(t testing.TB, steps int) settings {
	dir := t.TempDir()
	return settings{
		Steps: steps, Every: 10, Dir: filepath.Join(dir, "checkpoints"), Hold: filepath.Join(dir, "finish"),
		Pace: 5 * time.Millisecond, Timeout: time.Minute, Patience: 30 * time.Second,
	}
}

// straight returns the settings for the same training without faults.
func straight(s settings) settings {
	s.Dir, s.Hold, s.Pace = "", "", 0
	return s
}

// Ranks are killed at random moments, a hundred times in the thorough tests. Each time
// the other rank ends with an error that names the killed rank. torchrun restarts both,
// and they resume from the newest checkpoint. At the end the parameters have the same
// bits as without faults.
func TestKilled(t *testing.T) {
	launcher := torchrun(t)
	trainings, kills := 1, 5
	if thorough.Asked() {
		trainings, kills = 4, 25
	}
	for n := range trainings {
		t.Run(fmt.Sprint("seed ", n), func(t *testing.T) {
			t.Parallel()
			killed(t, launcher, kills, rand.New(rand.NewPCG(1, uint64(n))))
		})
	}
}

// victim is a rank that was killed.
type victim struct {
	rank   int
	joined bool // both ranks had joined the group before the kill
}

func killed(t *testing.T, launcher string, kills int, chance *rand.Rand) {
	s := patient(t, 20*kills)
	want := plain(t, straight(s))
	began := time.Now()
	e := launch(t, launcher, kills, s)
	var victims []victim
	var away []time.Duration // times from a kill until both ranks are in the group again
	for life := range kills {
		v := victim{rank: chance.IntN(2), joined: chance.IntN(4) > 0}
		pid := e.until(t, life, v.rank, func(s said) bool { return s.pid > 0 }).pid
		moment := time.Duration(chance.IntN(400)) * time.Millisecond
		if v.joined {
			e.joined(t, life)
		}
		time.Sleep(moment) // at any moment
		v.joined = e.read(t, life, 0).joined && e.read(t, life, 1).joined
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL), e.out.String())
		at := time.Now()
		victims = append(victims, v)
		if v.joined {
			e.joined(t, life+1)
			away = append(away, time.Since(at))
		}
	}
	require.NoError(t, os.WriteFile(s.Hold, nil, 0o600))
	e.wait(t, 2*time.Minute)
	require.NoError(t, e.err, e.out.String())
	require.Equal(t, kills+1, e.lives(t))
	for r := range 2 {
		assert.Equal(t, want, *e.read(t, kills, r).outcome, "rank %d", r)
	}
	for life, v := range victims {
		named(t, e, life, v)
	}
	again := repeated(t, e, s)
	if len(away) > 0 {
		var sum time.Duration
		for _, d := range away {
			sum += d
		}
		t.Logf("%d kills in %v; both ranks were back after %v on average, %v at most; %d of %d steps came again", kills,
			time.Since(began).Round(time.Second), (sum / time.Duration(len(away))).Round(10*time.Millisecond),
			slices.Max(away).Round(10*time.Millisecond), again, s.Steps)
	}
}

// joined waits until both ranks are in the group.
func (e *elastic) joined(t testing.TB, life int) {
	t.Helper()
	for r := range 2 {
		e.until(t, life, r, func(s said) bool { return s.joined })
	}
}

// named checks that the surviving rank's error names the killed rank.
func named(t *testing.T, e *elastic, life int, v victim) {
	t.Helper()
	assert.Nil(t, e.read(t, life, v.rank).outcome, "life %d: the rank was killed", life)
	o := e.read(t, life, 1-v.rank).outcome
	if !v.joined {
		if o != nil { // the rank got SIGTERM before it had joined or detected the failure
			assert.NotEmpty(t, o.Kinds, "life %d: %s", life, o.Error)
		}
		return
	}
	if assert.NotNil(t, o, "life %d: %s", life, e.out.String()) {
		if !strings.Contains(o.Error, "MonitoredBarrier") { // a monitored barrier names all ranks that did not arrive
			assert.Contains(t, o.Kinds, distributed.ErrPeer.Error(), "life %d: %s", life, o.Error)
		}
		assert.Equal(t, []int{v.rank}, o.Ranks, "life %d: %s", life, o.Error)
	}
}

// repeated checks that after each start the ranks resume from the newest checkpoint and
// skip no step. It returns how many steps were repeated.
func repeated(t *testing.T, e *elastic, s settings) (again int) {
	t.Helper()
	done, saved := 0, 0 // the last steps that were done and saved in all earlier lives
	for life := range e.lives(t) {
		newest, last := saved, done
		for r := range 2 {
			l := e.read(t, life, r)
			if l.resumed < 0 {
				continue // the rank was killed before it resumed
			}
			assert.Zero(t, l.resumed%s.Every, "life %d", life)
			assert.GreaterOrEqual(t, l.resumed, saved, "life %d: a checkpoint is lost", life)
			assert.LessOrEqual(t, done-l.resumed, s.Every,
				"life %d: more comes again than the steps since the checkpoint", life)
			for i, step := range l.steps {
				require.Equal(t, l.resumed+1+i, step, "life %d", life)
				last = max(last, step)
			}
			if r == 0 && len(l.steps) > 0 {
				again += min(done, l.steps[len(l.steps)-1]) - l.resumed
			}
			for _, step := range l.saved {
				newest = max(newest, step)
			}
		}
		saved, done = newest, last
	}
	assert.Equal(t, s.Steps, done)
	return again
}
