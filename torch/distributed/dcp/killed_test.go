package dcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// Environment variables that make this program a rank that kills itself: the file that it
// is writing at that moment, the checkpoint's directory, and the init method.
const (
	killedIn     = "GOTORCH_DCP_KILLED_IN"
	killedFolder = "GOTORCH_DCP_FOLDER"
	killedMethod = "GOTORCH_DCP_METHOD"
)

// killedState is the state that a rank saves. Each rank has a tensor of its own.
func killedState(rank, n int) map[string]any {
	return map[string]any{"n": n, fmt.Sprint("own", rank): torch.Full(torch.Shape{1000}, float64(n))}
}

// killed is the program of the rank that kills itself. It does so in the middle of a file, as kill
// -9 would.
func killed() int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.InitMethod(os.Getenv(killedMethod)))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	dies := dcp.SaveWith(func(path string, write func(w io.Writer) error) error {
		return wholefile.WriteDurable(path, func(w io.Writer) error {
			if strings.HasPrefix(filepath.Base(path), os.Getenv(killedIn)) {
				_, _ = w.Write(make([]byte, 1<<17)) // more bytes than the buffer holds, so that some reach the file
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // wait until the signal arrives
			}
			return write(w)
		})
	})
	fmt.Println(dies(ctx, g, killedState(g.Rank(), 2), os.Getenv(killedFolder)))
	return 1
}

// If a rank is killed while it writes, the previous checkpoint stays, if there was one. The other
// rank gets an error, and the next save removes the remains.
func TestAKilledRank(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, c := range []struct {
		in   string
		rank int // the rank that is killed
		old  bool
	}{{"__1_", 1, false}, {"__1_", 1, true}, {".metadata", 0, true}} {
		t.Run(fmt.Sprint(c.in, c.old), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "c")
			if c.old {
				torch.Scope(func() { require.NoError(t, dcp.Save(t.Context(), nil, killedState(0, 1), dir)) })
			}
			port := freePort(t)
			method := func(rank int) string {
				return fmt.Sprintf("tcp://127.0.0.1:%d?rank=%d&world_size=2", port, rank)
			}
			cmd := again.Command()
			cmd.Env = append(os.Environ(), killedIn+"="+c.in, killedFolder+"="+dir, killedMethod+"="+method(c.rank))
			require.NoError(t, cmd.Start())
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.InitMethod(method(1-c.rank)))
			require.NoError(t, err)
			start := time.Now()
			torch.Scope(func() { err = dcp.Save(ctx, g, killedState(g.Rank(), 2), dir) })
			assert.Less(t, time.Since(start), 30*time.Second)
			var de *distributed.Error
			require.ErrorAs(t, err, &de)
			_ = g.Close() // the group has ended
			var status *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &status)

			m, err := dcp.ReadMetadata(dir)
			if !c.old {
				require.ErrorIs(t, err, fs.ErrNotExist)
			} else {
				require.NoError(t, err)
				assert.Nil(t, m.Get("own1"))
				got := map[string]any{"n": 0, "own0": nil}
				torch.Scope(func() { require.NoError(t, dcp.Load(t.Context(), nil, dir, got)) })
				assert.Equal(t, 1, got["n"])
			}
			torch.Scope(func() { require.NoError(t, dcp.Save(t.Context(), nil, killedState(0, 3), dir)) })
			left := names(t, dir)
			assert.Len(t, left, 2, "%v", left)
		})
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}

// An error of another rank keeps its kinds, file and text.
func TestErrorsOfOtherRanks(t *testing.T) {
	for _, err := range []error{
		&torch.FileError{Format: "dcp", Path: "/a", Tensor: "w", Offset: 7, Kind: torch.ErrFormat, Detail: "why"},
		&torch.FileError{
			Format: "dcp", Path: "/a", Offset: -1,
			Err: &fs.PathError{Op: "open", Path: "/a", Err: syscall.ENOSPC},
		},
		fmt.Errorf("while: %w", &torch.FileError{Format: "dcp", Path: "/a", Offset: -1, Err: fs.ErrNotExist}),
		torch.NewError("dcp.Save", torch.ErrNil, "x", "is nil"),
		context.Canceled, context.DeadlineExceeded, errors.New("anything"), serialization.ErrUnsafe,
	} {
		far := dcp.Far(err)
		for _, kind := range []error{
			torch.ErrFormat, syscall.ENOSPC, fs.ErrNotExist, torch.ErrNil, torch.ErrValue, context.Canceled,
			context.DeadlineExceeded, serialization.ErrUnsafe,
		} {
			assert.Equal(t, errors.Is(err, kind), errors.Is(far, kind), "%v: %v", err, kind)
		}
		var a, b *torch.FileError
		if errors.As(err, &a) {
			require.ErrorAs(t, far, &b)
			assert.Equal(t, []any{a.Path, a.Tensor, a.Offset, a.Detail}, []any{b.Path, b.Tensor, b.Offset, b.Detail})
			assert.Contains(t, far.Error(), "/a")
			continue
		}
		assert.Equal(t, err.Error(), far.Error())
	}
	many := &dcp.Error{Op: "dcp.Load"}
	for r := range 20 {
		many.Failures = append(many.Failures, dcp.Failure{Rank: r, Err: errors.New("bad")})
	}
	assert.Contains(t, many.Error(), "dcp.Load: rank 0: bad; rank 1: bad")
	assert.Contains(t, many.Error(), "and 12 more")
}
