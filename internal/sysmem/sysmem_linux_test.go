package sysmem_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/grouptest"
	"github.com/gotorch/gotorch/internal/sysmem"
)

func TestMachine(t *testing.T) {
	free, total, err := sysmem.Machine()
	require.NoError(t, err)
	assert.Positive(t, total)
	assert.GreaterOrEqual(t, free, int64(0))
	assert.LessOrEqual(t, free, total)
	_, machine, err := sysmem.MachineIn(withoutGroups{os.DirFS("/")})
	require.NoError(t, err)
	assert.LessOrEqual(t, total, machine, "a container allows no more")
}

type withoutGroups struct{ fs.FS }

func (w withoutGroups) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "proc/self/") {
		return nil, fs.ErrNotExist
	}
	return w.FS.Open(name)
}

// The control group of a process is found on the real system. The test needs permission
// to create a group.
func TestRealGroup(t *testing.T) {
	const child = "GOTORCH_CHILD"
	if os.Getenv(child) == "" {
		g := grouptest.New(t, 300*mib)
		cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), child+"="+g.Path())
		g.Enter(cmd)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "--- PASS")
		return
	}
	block := make([]byte, 64*mib)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	free, total, err := sysmem.Machine()
	require.NoError(t, err)
	assert.EqualValues(t, 300*mib, total)
	assert.Positive(t, free)
	assert.Less(t, free, int64(236*mib))
	g, ok := sysmem.Tightest()
	require.True(t, ok)
	assert.Equal(t, os.Getenv(child), g.Path)
	assert.Equal(t, "1", fmt.Sprint(block[4096]))
}
