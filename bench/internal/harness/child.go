package harness

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Result is what a contestant returned for one run of a case.
type Result struct {
	// Nanoseconds is the time of all iterations.
	Nanoseconds float64
	// Extra contains the other values of the answer by name.
	Extra map[string]float64
}

// Child is a contestant's process.
type Child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts a contestant's process. Its standard error is passed through. The caller
// ends the process with Close.
func Start(cmd *exec.Cmd) (*Child, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Child{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// Run requests a case and waits for its answer. Arguments are written as key=value. The
// error is the child's own text, or reports that the child has ended.
func (c *Child) Run(name string, iterations int, args ...string) (Result, error) {
	request := append([]string{"run", name, strconv.Itoa(iterations)}, args...)
	if _, err := fmt.Fprintln(c.in, strings.Join(request, " ")); err != nil {
		return Result{}, fmt.Errorf("%s: the process has ended: %w", name, err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return Result{}, fmt.Errorf("%s: the process ended without an answer", name)
	}
	return parseAnswer(strings.TrimSpace(line))
}

// Close closes the process's input and waits until the process ends.
func (c *Child) Close() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}

func parseAnswer(line string) (Result, error) {
	if text, failed := strings.CutPrefix(line, "err "); failed {
		return Result{}, fmt.Errorf("%s", text)
	}
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "ok" {
		return Result{}, fmt.Errorf("not an answer: %q", line)
	}
	ns, err := strconv.ParseFloat(words[1], 64)
	if err != nil {
		return Result{}, fmt.Errorf("not a time: %q", line)
	}
	extra, err := parsePairs(words[2:])
	return Result{Nanoseconds: ns, Extra: extra}, err
}

func parsePairs(words []string) (map[string]float64, error) {
	pairs := make(map[string]float64, len(words))
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("not key=value: %q", word)
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("not a number: %q", word)
		}
		pairs[key] = value
	}
	return pairs, nil
}

// RunProgram runs a whole program once and returns the values on the lines of its
// standard output that start with "bench". If a name occurs more than once, its last
// value counts.
func RunProgram(cmd *exec.Cmd) (Result, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		rest, ok := strings.CutPrefix(line, "bench ")
		if !ok {
			continue
		}
		pairs, err := parsePairs(strings.Fields(rest))
		if err != nil {
			return Result{}, err
		}
		for key, value := range pairs {
			all[key] = value
		}
	}
	if len(all) == 0 {
		return Result{}, fmt.Errorf("%s: printed no line that starts with bench", cmd.Args[0])
	}
	return Result{Extra: all}, nil
}
