package again_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
)

const role = "GOTORCH_AGAIN_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		fmt.Printf("%q", os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestCommandRunsThisProgram(t *testing.T) {
	cmd := again.Command("a", "b c")
	cmd.Env = append(os.Environ(), role+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, `["a" "b c"]`, string(out))
}

func TestCommandIsGivenToTheEmulator(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(again.Emulator, " run  -cpu max ")
	assert.Equal(t, []string{"run", "-cpu", "max", self, "x"}, again.Command("x").Args)
	t.Setenv(again.Emulator, "")
	assert.Equal(t, []string{self, "x"}, again.Command("x").Args)
}

// again.With returns true in a process that has the setting. In a process without it,
// With runs the test in a new process that has it, and returns false.
func TestWith(t *testing.T) {
	const setting = "GOTORCH_AGAIN_SETTING=1"
	if again.With(t, setting) {
		assert.Equal(t, "1", os.Getenv("GOTORCH_AGAIN_SETTING"))
		return
	}
	assert.Empty(t, os.Getenv("GOTORCH_AGAIN_SETTING"))
}
