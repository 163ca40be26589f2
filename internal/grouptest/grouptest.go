// Package grouptest runs processes in control groups with a memory limit, for tests.
package grouptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Group is a control group inside the test's own group.
type Group struct{ folder string }

// New creates a group with a memory limit in bytes, and removes it when the test ends. It
// skips the test if the machine does not permit this. Usually only root is permitted, and
// with version 2 of control groups, the test's group must be allowed to contain groups.
func New(t testing.TB, limit int64) Group {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skipf("no control groups: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		var file, top string
		switch {
		case len(part) < 3:
			continue
		case part[1] == "memory":
			file, top = "memory.limit_in_bytes", "/sys/fs/cgroup/memory"
		case part[1] == "":
			file, top = "memory.max", "/sys/fs/cgroup"
		default:
			continue
		}
		g := Group{filepath.Join(top, part[2], "gotorch-test-"+strconv.Itoa(os.Getpid()))}
		if err = os.Mkdir(g.folder, 0o755); err != nil {
			continue
		}
		t.Cleanup(func() { g.remove(t) })
		if err = os.WriteFile(filepath.Join(g.folder, file), []byte(strconv.FormatInt(limit, 10)), 0o600); err == nil {
			return g
		}
	}
	t.Skipf("this machine does not let the test create a control group with a memory limit: %v", err)
	return Group{}
}

// remove removes the group. The kernel keeps the group for a moment after its last
// process has ended.
func (g Group) remove(t testing.TB) {
	t.Helper()
	var err error
	for range 1000 {
		if err = os.Remove(g.folder); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("cannot remove the control group of the test: %v", err)
}

// Enter makes cmd, which has not started yet, run in the group from its first
// instruction.
func (g Group) Enter(cmd *exec.Cmd) {
	const script = `echo $$ > "$0/cgroup.procs" && exec "$@"`
	cmd.Args = append([]string{"sh", "-c", script, g.folder, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

// Path returns the group's folder.
func (g Group) Path() string { return g.folder }
