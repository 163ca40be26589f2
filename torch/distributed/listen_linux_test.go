package distributed_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/torch/distributed"
)

// inNetwork is set in the process that has its own network. second is an address in that network.
const (
	inNetwork = "GOTORCH_TEST_NETWORK"
	second    = "10.123.45.67"
)

func reaches(t *testing.T, host string, port int) bool {
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		return false
	}
	require.NoError(t, c.Close())
	return true
}

// A store's server can be reached only at its own address. The test uses a network namespace with
// two addresses.
func TestServersListenAtTheirAddress(t *testing.T) {
	if os.Getenv(inNetwork) == "" {
		cmd := again.Command("-test.run=^TestServersListenAtTheirAddress$", "-test.v")
		cmd.Env = append(os.Environ(), inNetwork+"=1", "GLOO_SOCKET_IFNAME=lo")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if cmd.Process == nil {
			t.Skip("no network namespace can be made: ", err)
		}
		require.NoError(t, err, "%s", out)
		if strings.Contains(string(out), "--- SKIP") {
			t.Skip(string(out))
		}
		return
	}
	for _, args := range [][]string{{"link", "set", "lo", "up"}, {"address", "add", second + "/32", "dev", "lo"}} {
		if out, err := exec.CommandContext(t.Context(), "ip", args...).CombinedOutput(); err != nil {
			t.Skipf("ip %v: %v: %s", args, err, out)
		}
	}
	for host, expected := range map[string][2]bool{
		"127.0.0.1": {true, false}, second: {false, true},
		"localhost": {true, false}, "0.0.0.0": {true, true},
	} {
		s, err := distributed.NewTCPStore(background, host+":0", distributed.IsMaster(true))
		require.NoError(t, err, host)
		assert.Equal(t, expected, [2]bool{reaches(t, "127.0.0.1", s.Port()), reaches(t, second, s.Port())}, host)
		require.NoError(t, s.Set("key", []byte("value")))
		require.NoError(t, s.Close())
	}
	_, err := distributed.NewTCPStore(background, "10.0.0.1:0", distributed.IsMaster(true))
	require.ErrorIs(t, err, distributed.ErrEnvironment)

	port := freePort(t)
	g, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo,
		distributed.InitMethod(fmt.Sprintf("tcp://%s:%s", second, port)), distributed.Rank(0), distributed.WorldSize(1))
	require.NoError(t, err)
	at, err := strconv.Atoi(port)
	require.NoError(t, err)
	assert.Equal(t, [2]bool{false, true}, [2]bool{reaches(t, "127.0.0.1", at), reaches(t, second, at)})
	require.NoError(t, g.Close())
}
