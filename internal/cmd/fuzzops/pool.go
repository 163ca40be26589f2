package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/again"
)

// A Pool runs jobs in child processes of this program and supervises them.
type Pool struct {
	Env           []string
	Operators     []aten.Operator
	Known         Known
	Workers       int
	Batch         int           // number of jobs that a child gets
	Watch, Budget time.Duration // time limits of one call and of the whole run

	mu     sync.Mutex
	report Report
}

// deathsEach is the number of deaths that are examined for each operator. More deaths
// would give no new information. For a known operator, one is enough.
const deathsEach = 3

// startup is the time in which a child must load libtorch.
const startup = time.Minute

// Run runs the jobs until all are done or the budget is used up.
func (p *Pool) Run(jobs []Job) (*Report, error) {
	// the working directory of the children, for files that operators write
	folder, err := os.MkdirTemp("", "fuzzops")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	start := time.Now()
	p.report = Report{Operators: len(jobs)}
	batches := make(chan []Job)
	errs := make(chan error, p.Workers)
	for range p.Workers {
		go func() {
			var err error
			for batch := range batches {
				err = errors.Join(err, p.batch(batch, start))
			}
			errs <- err
		}()
	}
	for ; len(jobs) > 0; jobs = jobs[min(p.Batch, len(jobs)):] {
		batches <- jobs[:min(p.Batch, len(jobs))]
	}
	close(batches)
	for range p.Workers {
		err = errors.Join(err, <-errs)
	}
	p.report.finish(time.Since(start))
	return &p.report, err
}

// batch runs jobs in a child. If a call kills the child, the next child continues with
// the next call.
func (p *Pool) batch(jobs []Job, start time.Time) error {
	deaths := map[int]int{}
	for len(jobs) > 0 {
		if p.Budget > 0 && time.Since(start) > p.Budget {
			p.add(func(r *Report) { r.NotReached += len(jobs) })
			return nil
		}
		res, err := p.attempt(jobs, p.Watch, false)
		if err != nil {
			return err
		}
		p.add(func(r *Report) { r.count(res) })
		if res.kind == "" {
			return nil
		}
		for jobs[0].Op != res.at.Op {
			jobs = jobs[1:]
		}
		d, err := p.explain(jobs[0], res)
		if err != nil {
			return err
		}
		p.add(func(r *Report) { r.Deaths = append(r.Deaths, d) })
		deaths[res.at.Op]++
		j := jobs[0]
		done := int(res.at.Seed-j.Seed) + 1
		jobs = jobs[1:]
		if left := j.N - done; left > 0 && deaths[j.Op] < deathsEach && !d.Known {
			jobs = append([]Job{{j.Op, j.Seed + int64(done), left}}, jobs...)
		}
	}
	return nil
}

func (p *Pool) add(f func(*Report)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.report)
}

// explain repeats the call that killed a child, first alone. If the child survives that,
// explain repeats it after the previous calls of the same operator.
func (p *Pool) explain(j Job, res outcome) (Death, error) {
	name := p.Operators[j.Op].Name
	_, known := p.Known[name]
	d := Death{Operator: name, Seed: res.at.Seed, Kind: res.kind, Message: message(res.stderr), Known: known}
	if known && res.kind == Hang {
		d.Repeated = true // Do not repeat a call that hangs, because that would take as long again.
		return d, nil
	}
	for _, again := range []Job{{j.Op, res.at.Seed, 1}, {j.Op, j.Seed, int(res.at.Seed-j.Seed) + 1}} {
		res, err := p.attempt([]Job{again}, p.Watch, true)
		if err != nil {
			return d, err
		}
		d.Arguments = lastCall(res.stderr)
		if res.kind != "" {
			d.Kind, d.Seed, d.Message, d.Repeated = res.kind, res.at.Seed, message(res.stderr), true
			break
		}
	}
	return d, nil
}

// An outcome says how a child ended.
type outcome struct {
	counts [absent + 1]int
	at     Job    // call that killed the child, as a Job with N = 1
	kind   string // "" if the child did not die
	stderr string
}

// attempt runs one child with the jobs, until the child has made all calls or is dead.
func (p *Pool) attempt(jobs []Job, watch time.Duration, loud bool) (outcome, error) {
	var out outcome
	folder, err := os.MkdirTemp("", "fuzzops")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(folder)
	r, w, err := os.Pipe()
	if err != nil {
		return out, err
	}
	defer r.Close()
	how := quietly
	if loud {
		how = traced
	}
	var lines strings.Builder
	for _, j := range jobs {
		fmt.Fprintln(&lines, j.Op, j.Seed, j.N)
	}
	var said tail
	c := again.Command()
	c.Dir, c.Stderr, c.ExtraFiles, c.Stdin = folder, &said, []*os.File{w}, strings.NewReader(lines.String())
	c.Env = append(p.Env, childVariable+"="+how, "GOTRACEBACK=none", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
		"GOMAXPROCS=2")
	err = c.Start()
	w.Close()
	if err != nil {
		return out, err
	}
	end, hung, err := p.follow(r, watch, &out)
	if hung || err != nil {
		_ = c.Process.Kill()
	}
	died := c.Wait()
	out.stderr = said.String()
	switch {
	case err != nil:
		return out, err
	case hung:
		out.kind = Hang
	case end:
	case out.at.N == 0:
		return out, fmt.Errorf("a child ended before its first call: %w\n%s", died, out.stderr)
	default:
		out.kind = kindOf(died, out.stderr)
	}
	return out, nil
}

// follow reads the records of a child. end is true after the last record, and hung is
// true if a record takes too long. If the child is dead, both are false.
func (p *Pool) follow(r *os.File, watch time.Duration, out *outcome) (end, hung bool, err error) {
	buf := make([]byte, recordSize)
	for wait := startup; ; wait = p.patience(out.at.Op, watch) {
		if err := r.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return false, false, err
		}
		_, err := io.ReadFull(r, buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return false, true, nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return false, false, nil
		case err != nil:
			return false, false, err
		}
		rec := readRecord(buf)
		out.counts[rec.Before]++
		if rec.Op < 0 {
			return true, false, nil
		}
		out.at = Job{int(rec.Op), rec.Seed, 1}
	}
}

// patience returns how long a call of an operator may take. It is shorter for operators
// that are known to hang.
func (p *Pool) patience(op int, watch time.Duration) time.Duration {
	if row, ok := p.Known[p.Operators[op].Name]; ok && slices.Contains(row.Kinds, Hang) {
		return watch / 5
	}
	return watch
}

// Kinds of deaths.
const (
	Crash    = "crash"    // an access to an invalid address
	Division = "division" // division by zero, or of the least integer by -1
	Abort    = "abort"    // an assertion, an exception thrown by a destructor, or a corrupted heap
	Hang     = "hang"
	Memory   = "memory" // the child's Go runtime reached the memory limit
	Other    = "other"
)

func kindOf(died error, stderr string) string {
	var exit *exec.ExitError
	if errors.As(died, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			switch ws.Signal() {
			case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGTRAP:
				return Crash
			case syscall.SIGFPE:
				return Division
			case syscall.SIGABRT:
				return Abort
			case syscall.SIGKILL:
				return Memory
			}
		}
	}
	for _, k := range []struct{ text, kind string }{
		{"SIGFPE", Division},
		{"SIGABRT", Abort},
		{"SIGSEGV", Crash},
		{"SIGBUS", Crash},
		{"SIGILL", Crash},
		{"SIGTRAP", Crash},
		{"out of memory", Memory},
		{"cannot allocate memory", Memory},
	} {
		if strings.Contains(stderr, k.text) {
			return k.kind
		}
	}
	return Other
}

// tail keeps the start and the end of a child's output.
type tail struct{ first, last []byte }

const tailSize = 64 << 10 // large enough for Go's report of a crash

func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	k := min(n, tailSize-len(t.first))
	t.first = append(t.first, b[:k]...)
	t.last = append(t.last, b[k:]...)
	t.last = t.last[max(0, len(t.last)-tailSize):]
	return n, nil
}

func (t *tail) String() string { return string(t.first) + string(t.last) }

// lastCall returns the last call that a traced child reported.
func lastCall(stderr string) string {
	_, after, ok := cutLast(stderr, callMark)
	if !ok {
		return ""
	}
	call, _, _ := strings.Cut(after, "\n")
	return call
}

func cutLast(s, sep string) (before, after string, ok bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// message returns the line that best explains why a child died.
func message(stderr string) string {
	for _, word := range []string{
		"what():", "Assertion", "assertion", "free()", "malloc", "corrupt", "terminate",
		"SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "fatal error",
	} {
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, word) && !strings.HasPrefix(line, callMark) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}
