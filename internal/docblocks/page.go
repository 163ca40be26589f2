package docblocks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/docblocks/report"
)

// A pageRun runs the units of one page. Its working directory is a new directory.
type pageRun struct {
	root, binary, dir string
	units             []*unit
	following         map[string]Block // for the place of a block, the block that follows it
	failures          []string
}

func (p *pageRun) fail(format string, args ...any) {
	p.failures = append(p.failures, fmt.Sprintf(format, args...))
}

// run runs the units of the page in one process. If a unit ends the process, a new
// process runs the remaining units. Each whole program and each test has its own process.
func (p *pageRun) run(ctx context.Context) {
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		p.fail("%v", err)
		return
	}
	for units := p.units; len(units) > 0; {
		n := 1
		for n < len(units) && !units[0].alone() && !units[n].alone() {
			n++
		}
		units = units[p.process(ctx, units[:n]):]
	}
}

// process runs units in one process and returns the number of units that ran.
func (p *pageRun) process(ctx context.Context, units []*unit) int {
	var names []string
	for _, u := range units {
		names = append(names, u.place())
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, names...) //nolint:gosec // the program of the blocks
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "HOME="+p.dir, report.Root+"="+p.root)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, failed := cmd.Output()
	rest := string(out)
	for i, u := range units {
		text, after, ok := strings.Cut(rest, report.Mark)
		line, after, _ := strings.Cut(after, "\n")
		var r report.Report
		if !ok || json.Unmarshal([]byte(line), &r) != nil {
			p.fail("%s: ended the program: %v\n%s%s", u.place(), failed, rest, stderr.String())
			return i + 1
		}
		p.judge(u, r, text)
		rest = after
	}
	return len(units)
}

// judge checks the report and the output of a unit.
func (p *pageRun) judge(u *unit, r report.Report, out string) {
	want, panics := u.mark("panics")
	switch {
	case panics && !strings.Contains(r.Panic, want):
		p.fail("%s: must panic with %q: %q", u.place(), want, r.Panic)
	case !panics && r.Panic != "":
		p.fail("%s: panics: %s", u.place(), r.Panic)
	}
	for _, f := range r.Failures {
		p.fail("%s: %s", u.place(), f)
	}
	for i, printed := range strings.Split(out, report.Next) {
		if i >= len(u.blocks) {
			break
		}
		b := p.following[u.blocks[i].Place()]
		_, differ := b.Mark("figures differ")
		if b.isOutput() && !same(b.Source, printed, differ) {
			p.fail("%s: the block above prints\n%s", b.Place(), printed)
		}
	}
}

// isOutput reports whether a block is the output of the Go block above it.
func (b Block) isOutput() bool {
	if _, no := b.Mark("no output"); no || b.Line == 0 || b.Lang != "" && b.Lang != "text" {
		return false
	}
	return b.near == "" || len(b.near) < 90 && strings.HasSuffix(b.near, ":")
}
