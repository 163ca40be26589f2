package memory_test

import (
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/grouptest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

const groupLimit = 900 * mib

// inGroup runs the calling test again in a new process, in a control group with a memory
// limit. In the new process it calls fn. In the old process it returns the output and the
// exit error of the new process.
func inGroup(t *testing.T, fn func(), environment ...string) (output string, err error) {
	t.Helper()
	const child = "GOTORCH_CHILD"
	if os.Getenv(child) != "" {
		fn()
		return "", nil
	}
	g := grouptest.New(t, groupLimit)
	cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(withoutLimits(os.Environ()), append(environment, child+"="+g.Path())...)
	g.Enter(cmd)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func withoutLimits(environment []string) (rest []string) {
	for _, e := range environment {
		if !strings.HasPrefix(e, "GOMEMLIMIT=") && !strings.HasPrefix(e, "GOTORCH_CGROUP_LIMIT=") {
			rest = append(rest, e)
		}
	}
	return rest
}

func TestGroupIsWhatTheDeviceHas(t *testing.T) {
	out, err := inGroup(t, func() {
		free, total, err := memory.MemGetInfo(torch.CPU)
		require.NoError(t, err)
		assert.EqualValues(t, groupLimit, total)
		assert.Positive(t, free)
		assert.Less(t, free, int64(groupLimit))
		require.NoError(t, memory.SetFraction(torch.CPU, 0.5))
		assert.EqualValues(t, groupLimit/2, memory.Limit(torch.CPU))
	})
	require.NoError(t, err, "%s", out)
}

// drop creates a model of 300 MiB and 1,200 MiB of garbage, in tensors of 4 MiB. That is
// more than the control group allows.
func drop() {
	model := torch.Ones(torch.Shape{300 * mib / 4})
	defer func() { _ = model.Close() }()
	memory.SetGCPercent(-1)
	for range 300 {
		torch.Ones(torch.Shape{mib})
	}
}

// A program that sets no limit collects its garbage early enough to stay below the limit of
// its control group. Otherwise the kernel would kill it.
func TestGarbageStaysBelowTheGroupsLimit(t *testing.T) {
	out, err := inGroup(t, func() {
		drop()
		drop()
	})
	require.NoError(t, err, "%s", out)
	if os.Getenv("GOTORCH_CHILD") == "" {
		assert.Equal(t, 1, strings.Count(out,
			"to stay below the memory limit of 943718400 bytes of the control group /sys/fs/cgroup/"), "%s", out)
		assert.Contains(t, out, "GOTORCH_CGROUP_LIMIT=off")
	}
}

// GOTORCH_CGROUP_LIMIT=off, or a limit that the program sets, turns off the group's limit.
func TestGroupsLimitIsTurnedOff(t *testing.T) {
	for _, setting := range []string{"GOTORCH_CGROUP_LIMIT=off", "GOMEMLIMIT=off", "GOTORCH_CGROUP_LIMIT=on"} {
		t.Run(setting, func(t *testing.T) {
			out, err := inGroup(t, drop, setting)
			if os.Getenv("GOTORCH_CHILD") != "" {
				return
			}
			if strings.HasSuffix(setting, "on") {
				require.NoError(t, err, "%s", out)
				return
			}
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			assert.Contains(t, exit.String(), "killed")
			assert.NotContains(t, out, "control group")
		})
	}
}

// An invalid value is reported and has no effect.
func TestUnknownSettingOfTheGroupsLimit(t *testing.T) {
	cmd := again.Command("-test.run=^$")
	cmd.Env = append(withoutLimits(os.Environ()), "GOTORCH_CGROUP_LIMIT=maybe")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), `GOTORCH_CGROUP_LIMIT="maybe" is neither on nor off; it counts as on`)
}

func TestLimitsOfTheProgramComeFirst(t *testing.T) {
	for name, set := range map[string]func(){
		"debug.SetMemoryLimit": func() { debug.SetMemoryLimit(700 * mib) },
		"memory.SetLimit":      func() { require.NoError(t, memory.SetLimit(torch.CPU, 450*mib)) },
	} {
		t.Run(strings.ReplaceAll(name, ".", "_"), func(t *testing.T) {
			out, err := inGroup(t, func() {
				set()
				drop()
			})
			require.NoError(t, err, "%s", out)
			assert.NotContains(t, out, "control group")
		})
	}
}
