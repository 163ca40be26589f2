package harness_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/harness"
	"github.com/gotorch/gotorch/internal/again"
)

// TestMain lets this test binary run as a contestant too.
func TestMain(m *testing.M) {
	switch os.Getenv("HARNESS_TEST_CHILD") {
	case "child":
		fakeChild()
	case "program":
		fmt.Println("epoch 1 of 1\nbench epoch_s=2.5\nbench peak_bytes=4096 epoch_s=3.5")
	case "silent":
		fmt.Println("nothing to say")
	default:
		os.Exit(m.Run())
	}
}

func fakeChild() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[1] {
		case "echo":
			fmt.Printf("ok %s00 words=%d\n", words[2], len(words))
		case "fail":
			fmt.Println("err no such thing")
		case "babble":
			fmt.Println("well")
		case "die":
			return
		}
	}
}

func self(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	cmd := again.Command()
	cmd.Env = append(os.Environ(), "HARNESS_TEST_CHILD="+role)
	return cmd
}

func TestChild(t *testing.T) {
	child, err := harness.Start(self(t, "child"))
	require.NoError(t, err)

	r, err := child.Run("echo", 7, "n=1", "threads=2")
	require.NoError(t, err)
	assert.Equal(t, 700.0, r.Nanoseconds)
	assert.Equal(t, map[string]float64{"words": 5}, r.Extra)

	_, err = child.Run("fail", 1)
	assert.EqualError(t, err, "no such thing")
	_, err = child.Run("babble", 1)
	assert.ErrorContains(t, err, "not an answer")
	_, err = child.Run("echo", 1)
	require.NoError(t, err, "an error does not end the conversation")

	_, err = child.Run("die", 1)
	assert.ErrorContains(t, err, "ended without an answer")
	assert.NoError(t, child.Close())
}

func TestRunProgram(t *testing.T) {
	r, err := harness.RunProgram(self(t, "program"))
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"epoch_s": 3.5, "peak_bytes": 4096}, r.Extra)

	_, err = harness.RunProgram(self(t, "silent"))
	assert.ErrorContains(t, err, "no line that starts with bench")
}
