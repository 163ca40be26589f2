package faults_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch/distributed"
)

// start starts a rank on each host.
func (h *hosts) start(t *testing.T, s settings) (both [2]*process) {
	t.Helper()
	for r := range both {
		both[r] = h.rank(t, r, s)
	}
	return both
}

// rank starts a rank on its host. Rank 0 runs the store.
func (h *hosts) rank(t *testing.T, rank int, s settings) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return start(t, h.command(rank, self, "-test.run=^$"), append(h.environment(rank), variable(t, s))...)
}

func (h *hosts) environment(rank int) []string {
	// Each host has its own ports, so this one is free.
	return byEnvironment(rank, addresses[0], "29500", h.devices[rank])
}

// report logs the traffic on the link, and checks that packets were lost. If the kernel's netem
// loses packets, report does not check: the packets are few and large, so netem may have lost none.
func (h *hosts) report(t *testing.T, began time.Time) {
	t.Helper()
	took := time.Since(began).Round(10 * time.Millisecond)
	if h.wire == nil {
		t.Logf("trained in %v", took)
		return
	}
	t.Logf("trained in %v; the link has carried %d packets and lost %d", took, h.wire.carried.Load(),
		h.wire.lost.Load())
	assert.Positive(t, h.wire.lost.Load(), "the link has lost nothing")
}

// bad skips a test that needs a bad link if the link is good.
func (h *hosts) bad(t *testing.T) *hosts {
	t.Helper()
	if !h.slow {
		t.Skip("the link is neither slow nor does it lose packets, so there is nothing to see: the kernel has no " +
			"netem, and there are no devices (/dev/net/tun) in its place")
	}
	return h
}

// A slow link that loses packets does not change a single bit of the result.
func TestHosts(t *testing.T) {
	for name, byHand := range map[string]bool{"DistributedDataParallel": false, "by hand": true} {
		if byHand && !thorough.Asked() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := newHosts(t).bad(t)
			s := settings{Steps: 20, ByHand: byHand, Every: 5, Timeout: 5 * time.Minute, Patience: 5 * time.Minute}
			want := plain(t, s)
			began := time.Now()
			assert.Equal(t, want, agreed(t, h.start(t, s)))
			h.report(t, began)
		})
	}
}

// Trains with a Go rank and a Python rank, in both orders.
func TestHostsWithPython(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	for r, name := range []string{"Go has the store", "Python has the store"} {
		if r > 0 && !thorough.Asked() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := newHosts(t)
			s := settings{Steps: 20, Timeout: 5 * time.Minute}
			want := plain(t, s)
			began := time.Now()
			var both [2]*process
			both[r] = h.rank(t, r, s)
			both[1-r] = start(t, h.command(1-r, python, "testdata/rank.py"),
				append(h.environment(1-r), variable(t, s))...)
			assert.Equal(t, want, agreed(t, both))
			h.report(t, began)
		})
	}
}

// When the link fails, both ranks end with an error within the expected time. Neither hangs.
func TestLinkGoesAway(t *testing.T) {
	for name, away := range map[string]func(h *hosts, t *testing.T){
		"the device of rank 0 is down": func(h *hosts, t *testing.T) { h.down(t, 0) },
		"the device of rank 1 is down": func(h *hosts, t *testing.T) { h.down(t, 1) },
		"silence":                      func(h *hosts, t *testing.T) { h.silence(t, true) },
	} {
		for how, byHand := range map[string]bool{"DistributedDataParallel": false, "by hand": true} {
			if (byHand || name != "silence") && !thorough.Asked() {
				continue
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				h := newHosts(t)
				s := settings{Steps: 1 << 30, ByHand: byHand, Timeout: 3 * time.Second}
				both := h.start(t, s)
				for _, p := range both {
					p.until(t, "step 3\n")
				}
				away(h, t)
				at := time.Now()
				for r, p := range both {
					p.wait(t, s.Timeout+20*time.Second)
					require.Error(t, p.err)
					o := read(t, p.out.String()).outcome
					require.NotNil(t, o, p.out.String())
					t.Logf("rank %d, after %v: %s", r, time.Since(at).Round(10*time.Millisecond), o.Error)
					assert.True(t,
						slices.ContainsFunc([]error{
							distributed.ErrTimeout, distributed.ErrPeer,
							distributed.ErrNetwork,
						}, func(kind error) bool {
							return slices.Contains(o.Kinds, kind.Error())
						}), "rank %d: %s", r, o.Error)
					assert.Equal(t, []int{1 - r}, o.Ranks, "rank %d: %s", r, o.Error)
				}
			})
		}
	}
}

// A link that is down for a second causes no failure if no timeout expires.
func TestLinkComesBack(t *testing.T) {
	h := newHosts(t)
	s := settings{Steps: 20, Timeout: 5 * time.Minute}
	want := plain(t, s)
	both := h.start(t, s)
	for _, p := range both {
		p.until(t, "step 3\n")
	}
	h.silence(t, true)
	time.Sleep(time.Second) // the fault itself
	h.silence(t, false)
	assert.Equal(t, want, agreed(t, both))
}
