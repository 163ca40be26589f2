package distributed_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch/distributed"
)

// silent starts a server that accepts connections and sends nothing.
func silent(t *testing.T) (port string) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		var open []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				for _, c := range open {
					_ = c.Close()
				}
				return
			}
			open = append(open, c)
		}
	}()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// If other ranks are missing, InitProcessGroup returns at its timeout, which covers all of its
// waits.
func TestWithoutPeers(t *testing.T) {
	free := func(t *testing.T) string { return freePort(t) }
	const limit = 3 * time.Second
	for name, c := range map[string]struct {
		rank int
		port func(t *testing.T) string
	}{
		"no rank 1":       {0, free},
		"no server":       {1, free},
		"a silent server": {1, silent},
		"a server without ranks": {1, func(t *testing.T) string {
			s, err := distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true))
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close() })
			return strconv.Itoa(s.Port())
		}},
		"a server that comes late, without ranks": {1, func(t *testing.T) string {
			port := free(t)
			started := make(chan *distributed.Store, 1)
			go func() {
				time.Sleep(limit * 3 / 4)
				s, _ := distributed.NewTCPStore(background, "127.0.0.1:"+port, distributed.IsMaster(true))
				started <- s
			}()
			t.Cleanup(func() { _ = (<-started).Close() })
			return port
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := distributed.InitMethod(fmt.Sprint("tcp://127.0.0.1:", c.port(t)))
			begin := time.Now()
			_, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo, address,
				distributed.Rank(c.rank), distributed.WorldSize(2), distributed.Timeout(limit))
			assert.ErrorIs(t, err, distributed.ErrTimeout)
			assert.Less(t, time.Since(begin), limit*3/2)
		})
	}
}
