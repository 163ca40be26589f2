package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
)

// hosts are two network namespaces with a link between them. To programs they are two machines. The
// link is slow and loses packets.
type hosts struct {
	spaces, devices [2]string
	wire            *wire // nil if the kernel makes the link slow
	slow            bool
}

// addresses are the hosts' IP addresses.
var addresses = [2]string{"10.77.0.1", "10.77.0.2"}

var made atomic.Int32

// newHosts makes two hosts, or skips the test if this is not allowed. They are removed when the
// test ends.
func newHosts(t *testing.T) *hosts {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make network namespaces")
	}
	if os.Getenv(again.Emulator) != "" {
		t.Skip("network namespaces are this machine's, and the program another's")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no network namespaces: there is no program ip (iproute2)")
	}
	h := &hosts{}
	n := made.Add(1)
	for i, side := range []string{"a", "b"} {
		h.spaces[i] = fmt.Sprintf("gt%d-%d%s", os.Getpid(), n, side) // a device's name has at most 15 letters
		h.devices[i] = h.spaces[i]
		if out, err := command("ip", "netns", "add", h.spaces[i]); err != nil {
			t.Skipf("no network namespaces: ip netns add: %v: %s", err, out)
		}
		t.Cleanup(func() { must(t, "ip", "netns", "del", h.spaces[i]) })
		if out, err := command("ip", "netns", "exec", h.spaces[i], "true"); err != nil {
			t.Skipf("no network namespaces: ip netns exec: %v: %s", err, out)
		}
	}
	h.link(t)
	return h
}

// link connects the two hosts.
func (h *hosts) link(t *testing.T) {
	t.Helper()
	if out, err := command("ip", "link", "add", h.devices[0], "type", "veth", "peer", "name",
		h.devices[1]); err != nil {
		t.Skipf("no link between network namespaces: ip link add type veth: %v: %s", err, out)
	}
	h.place(t)
	err := h.netem(loss)
	if err == nil {
		h.slow = true
		return
	}
	must(t, "ip", "-n", h.spaces[0], "link", "del", h.devices[0])
	if h.wire, err = newWire(t, h.devices); err == nil {
		t.Log("the kernel has no netem, so this program delays and loses the packets")
		h.slow = true
		h.place(t)
		return
	}
	t.Logf("the link is neither slow nor does it lose packets: the kernel has no netem, and there are no devices in "+
		"its place: %v", err)
	must(t, "ip", "link", "add", h.devices[0], "type", "veth", "peer", "name", h.devices[1])
	h.place(t)
}

// place moves the devices into their namespaces and enables them.
func (h *hosts) place(t *testing.T) {
	t.Helper()
	for i, space := range h.spaces {
		must(t, "ip", "link", "set", h.devices[i], "netns", space)
		must(t, "ip", "-n", space, "addr", "add", addresses[i], "peer", addresses[1-i], "dev", h.devices[i])
		must(t, "ip", "-n", space, "link", "set", "lo", "up")
		must(t, "ip", "-n", space, "link", "set", h.devices[i], "up")
	}
}

// netem makes the kernel delay packets and lose a share of them.
func (h *hosts) netem(share float64) error {
	for i, space := range h.spaces {
		out, err := command("ip", "netns", "exec", space, "tc", "qdisc", "replace", "dev", h.devices[i], "root",
			"netem",
			"delay", delay.String(), jitter.String(), "loss", fmt.Sprint(100*share, "%"))
		if err != nil {
			return fmt.Errorf("tc qdisc: %w: %s", err, out)
		}
	}
	return nil
}

// down switches off a host's end of the link. The host's kernel notices that.
func (h *hosts) down(t *testing.T, host int) {
	t.Helper()
	must(t, "ip", "-n", h.spaces[host], "link", "set", h.devices[host], "down")
}

// silence makes the link lose all packets (all is true) or carry them again. The kernels do not
// notice.
func (h *hosts) silence(t *testing.T, all bool) {
	t.Helper()
	switch {
	case h.wire != nil:
		h.wire.silent.Store(all)
	case !h.slow:
		t.Skip("only netem, or a device of this program's, can lose all packets")
	case all:
		require.NoError(t, h.netem(1))
	default:
		require.NoError(t, h.netem(loss))
	}
}

// command returns a command that runs on a host.
func (h *hosts) command(host int, program string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", h.spaces[host], program}, args...)...)
}

func command(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func must(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := command(name, args...)
	require.NoError(t, err, "%s %v: %s", name, args, out)
}
