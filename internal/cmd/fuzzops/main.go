// Command fuzzops calls every operator of libtorch with hostile arguments and counts the
// results. It looks for operators that end the process or never return, because a binding
// cannot handle such operators. A call may succeed or return an error; both are fine.
//
//	go run ./internal/cmd/fuzzops                        # all, as make fuzz MODE=ops does
//	go run ./internal/cmd/fuzzops -run '^lcm' -n 1000    # some, many times
//	go run ./internal/cmd/fuzzops -replay div.out_mode:7 # one call, with its arguments
//
// A call depends only on the name of the operator and a seed. The operators run in child
// processes, with little memory and one thread. If a child dies, or a call takes too
// long, the call is repeated in a new process. If the new process dies too, the operator
// is to blame. Otherwise an earlier call is.
//
// known-2.11.0.txt lists the operators of libtorch 2.11.0 that are known to end the
// process or never return. The command exits with status 1 if more than -allow other
// operators do.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// childVariable is set in the environment of the child processes.
const childVariable = "GOTORCH_FUZZOPS"

func main() {
	if how := os.Getenv(childVariable); how != "" {
		if err := child(how, callOperator); err != nil {
			fmt.Fprintln(os.Stderr, "fuzzops:", err)
			os.Exit(3)
		}
		return
	}
	code, err := parent()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzops:", err)
		code = 2
	}
	os.Exit(code)
}

func parent() (int, error) {
	n := flag.Int("n", 25, "calls of each operator")
	seed := flag.Int64("seed", 1, "of the first call of each operator; the next call has the next")
	run := flag.String("run", "", "regular expression: only operators whose name matches")
	replay := flag.String("replay", "", "OPERATOR:SEED, make one call and say what it is")
	out := flag.String("out", "build/fuzzops.json", "where the counts and the deaths go")
	update := flag.String("update", "", "file of known operators to add what died to")
	allow := flag.Int("allow", 0, "how many operators that are not known may die before that is a failure")
	p := Pool{Env: os.Environ()}
	flag.IntVar(&p.Workers, "workers", min(2, runtime.NumCPU()), "processes at a time")
	flag.IntVar(&p.Batch, "batch", 64, "operators to a process")
	flag.DurationVar(&p.Watch, "watch", 10*time.Second, "how long a call may last")
	flag.DurationVar(&p.Budget, "time", 2*time.Minute, "how long to go on starting calls; 0 is without end")
	flag.Parse()

	p.Operators = aten.Operators()
	if *replay != "" {
		return replayOne(&p, *replay)
	}
	only, err := regexp.Compile(*run)
	if err != nil {
		return 0, err
	}
	if p.Known, err = KnownTo(cgotorch.Version()); err != nil {
		return 0, err
	}
	var jobs []Job
	for _, op := range p.Operators {
		if only.MatchString(op.Name) {
			jobs = append(jobs, Job{op.Number, *seed, *n})
		}
	}
	report, err := p.Run(jobs)
	if err != nil {
		return 0, err
	}
	report.Version, report.Seed, report.CallsEach = cgotorch.Version(), *seed, *n
	fmt.Print(report)
	if err := write(*out, report); err != nil {
		return 0, err
	}
	if *update != "" {
		return 0, os.WriteFile(*update, []byte(p.Known.With(report.Deaths).Text(report.Version)), 0o644)
	}
	if len(report.Unknown()) > *allow {
		return 1, nil
	}
	return 0, nil
}

func write(path string, report *Report) error {
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// replayOne makes one call, which is named OPERATOR:SEED, in a new process.
func replayOne(p *Pool, which string) (int, error) {
	at := strings.LastIndexByte(which, ':')
	if at < 0 {
		return 0, fmt.Errorf("-replay %s: expected OPERATOR:SEED", which)
	}
	seed, err := strconv.ParseInt(which[at+1:], 10, 64)
	if err != nil {
		return 0, err
	}
	for _, op := range p.Operators {
		if op.Name != which[:at] {
			continue
		}
		res, err := p.attempt([]Job{{op.Number, seed, 1}}, p.Watch, true)
		if err != nil {
			return 0, err
		}
		fmt.Print(res.stderr)
		if res.kind != "" {
			fmt.Println("died:", res.kind)
			return 1, nil
		}
		return 0, nil
	}
	return 0, fmt.Errorf("-replay %s: no operator has this name", which)
}
