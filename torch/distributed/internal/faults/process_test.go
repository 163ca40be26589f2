package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
)

// process is a process started by the test.
type process struct {
	cmd   *exec.Cmd
	out   output
	ended chan struct{}
	err   error // result of the process, once it has ended
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts a command. The process is killed when the test ends.
func start(t testing.TB, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), launchers), append([]string{"OMP_NUM_THREADS=1"}, env...)...)
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its children are killed with it
	require.NoError(t, cmd.Start())
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-p.ended
	})
	return p
}

// launchers reports whether a variable is one that a launcher sets.
func launchers(v string) bool {
	name, _, _ := strings.Cut(v, "=")
	return slices.Contains([]string{
		"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK",
		"GLOO_SOCKET_IFNAME",
	}, name)
}

// until waits until a process has printed text.
func (p *process) until(t testing.TB, text string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(p.out.String(),
		text); time.Sleep(5 * time.Millisecond) {
		select {
		case <-p.ended:
			require.Contains(t, p.out.String(), text)
			return
		default:
			require.True(t, time.Now().Before(deadline), "waiting for %q:\n%s", text, p.out.String())
		}
	}
}

// wait waits for a process to end, and fails the test if it takes longer than within.
func (p *process) wait(t testing.TB, within time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // SIGQUIT makes the process print the stacks of its goroutines
		select {
		case <-p.ended:
		case <-time.After(10 * time.Second):
		}
		require.Fail(t, "a process does not end", p.out.String())
	}
}

// variable returns the environment variable that contains a rank's settings.
func variable(t testing.TB, s settings) string {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return role + "=" + string(text)
}

// byEnvironment returns the environment variables that make a process one of two ranks.
func byEnvironment(rank int, address, port, device string) []string {
	return []string{
		"RANK=" + strconv.Itoa(rank), "WORLD_SIZE=2", "MASTER_ADDR=" + address, "MASTER_PORT=" + port,
		"GLOO_SOCKET_IFNAME=" + device,
	}
}

// plain trains without faults and returns the outcome.
func plain(t testing.TB, s settings) outcome {
	t.Helper()
	port := freePort(t)
	var both [2]*process
	for r := range both {
		both[r] = start(t, again.Command("-test.run=^$"),
			append(byEnvironment(r, "127.0.0.1", port, "lo"), variable(t, s))...)
	}
	return agreed(t, both)
}

// agreed waits for two ranks to succeed, and returns their common outcome.
func agreed(t testing.TB, both [2]*process) outcome {
	t.Helper()
	var all [2]outcome
	for r, p := range both {
		p.wait(t, 10*time.Minute)
		require.NoError(t, p.err, "rank %d: %s", r, p.out.String())
		all[r] = *read(t, p.out.String()).outcome
	}
	require.Equal(t, all[0], all[1])
	return all[0]
}

// freePort returns an unused port.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// said is what a rank has printed between one start and the next.
type said struct {
	pid     int // 0 before it is known
	joined  bool
	stops   bool  // it is about to stop itself with SIGSTOP
	resumed int   // the step of the checkpoint that it resumed from; -1 before it is known
	steps   []int // the steps that it has done
	saved   []int
	outcome *outcome // nil if the rank was killed
}

// read parses what a rank has printed so far.
func read(t testing.TB, text string) said {
	t.Helper()
	s := said{resumed: -1}
	for line := range strings.Lines(text) {
		whole, ended := strings.CutSuffix(line, "\n")
		if !ended {
			continue // the rest of the line is not written yet
		}
		word, rest, _ := strings.Cut(whole, " ")
		number := func() int {
			n, err := strconv.Atoi(rest)
			require.NoError(t, err, line)
			return n
		}
		switch word {
		case "pid":
			s.pid = number()
		case "joined":
			s.joined = true
		case "stops":
			s.stops = true
		case "resumed":
			s.resumed = number()
		case "step":
			s.steps = append(s.steps, number())
		case "saved":
			s.saved = append(s.saved, number())
		case "outcome":
			s.outcome = new(outcome)
			require.NoError(t, json.Unmarshal([]byte(rest), s.outcome), line)
		}
	}
	return s
}

func (s said) String() string {
	return fmt.Sprintf("pid %d, joined %v, resumed %d, %d steps, outcome %+v", s.pid, s.joined, s.resumed, len(s.steps),
		s.outcome)
}
